// Tables that sort, filter and lead from a number to the examples behind it. Without this script they are plain tables.
const named = (kind, text, properties = {}) => Object.assign(document.createElement(kind), {textContent: text, ...properties});

// Sort by the column whose heading is pressed; cells without a value go last, whichever the direction.
function sortable(table) {
  const heads = [...table.querySelectorAll("thead tr:last-child th")];
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numeric = head.classList.contains("number");
    const body = table.tBodies[0];
    const value = row => row.cells[place].dataset.sort;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      return (down ? -1 : 1) * (numeric ? x - y : x.localeCompare(y, "en", {numeric: true}));
    };
    body.append(...[...body.rows].sort(compare));
    body.querySelectorAll("td.same").forEach(cell => cell.classList.remove("same"));
  }));
}

// A bar over a table of many rows: one choice for each column of few different values, and a search in all its text.
function filterable(table) {
  const rows = [...table.tBodies].flatMap(body => [...body.rows]);
  if (rows.length < 9) return;
  const bar = named("div", "", {className: "filter"});
  const count = named("output", "");
  const choices = [...table.querySelectorAll("thead tr:last-child th")].flatMap((head, place) => {
    if (!head.dataset.facet) return [];
    const found = new Map();
    for (const row of rows) {
      const cell = row.cells[place];
      if (cell.dataset.key) found.set(cell.dataset.key, [cell.textContent, cell.dataset.sort ?? ""]);
    }
    if (found.size < 2 || found.size > 40) return [];
    const select = named("select", "", {ariaLabel: head.textContent.trim()});
    select.append(named("option", `${head.textContent.trim()}: all`, {value: ""}));
    const order = (a, b) => a[1][1].localeCompare(b[1][1], "en", {numeric: true});
    for (const [key, [text]] of [...found].sort(order)) select.append(named("option", text, {value: key}));
    select.addEventListener("change", apply);
    return [{name: head.dataset.facet, place, select, several: null}];
  });
  const search = named("input", "", {type: "search", placeholder: "Search", ariaLabel: "Search in the rows"});
  search.addEventListener("input", apply);
  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const chosen = choices.every(({place, select, several}) => {
        const wanted = select.value ? [select.value] : several;
        return !wanted || wanted.includes(row.cells[place].dataset.key);
      });
      const text = words.length ? row.textContent.toLowerCase() : "";
      row.hidden = !(chosen && words.every(word => text.includes(word)));
      shown += !row.hidden;
    }
    table.classList.toggle("filtered", shown < rows.length);
    count.textContent = shown < rows.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
  }
  // Set the choices from outside: values by name of the column, several of them with commas between.
  table.choose = wanted => {
    for (const choice of choices) {
      const values = wanted.get(choice.name)?.split(",") ?? [];
      choice.select.value = values.length === 1 ? values[0] : "";
      choice.several = values.length > 1 ? values : null;
    }
    search.value = "";
    apply();
  };
  const clear = named("button", "Show all", {type: "button"});
  clear.addEventListener("click", () => table.choose(new URLSearchParams()));
  bar.append(...choices.map(choice => choice.select), search, clear, count);
  table.closest(".scroll").before(bar);
  apply();
}

// The query for all examples that a number is made of: what the link names, within the runs of the report.
function explain(table, wanted) {
  const names = JSON.parse(table.dataset.names ?? "{}");
  let place = table.closest("figure").querySelector(".behind");
  if (!place) {
    place = named("p", "", {className: "behind"});
    (table.closest("figure").querySelector(".filter") ?? table.closest(".scroll")).before(place);
  }
  const quoted = text => `'${text.replaceAll("'", "''")}'`;
  const terms = [...wanted].map(([name, value]) => {
    const values = value.split(",").map(one => name === "length" ? one : quoted(one));
    const column = names[name] ?? name;
    return values.length > 1 ? `${column} IN (${values.join(", ")})` : `${column} = ${values[0]}`;
  });
  const runs = JSON.parse(table.dataset.runs).map(quoted).join(", ");
  const sql = `FROM ${table.dataset.view ?? "answers"} WHERE ${[...terms, `run_id IN (${runs})`].join(" AND ")};`;
  const details = named("details", "", {className: "sql", open: true});
  details.append(named("summary", `SQL for all ${table.dataset.view ? "tasks" : "examples"} behind this number`), named("pre", ""));
  details.lastChild.append(named("code", sql));
  place.replaceChildren(details);
}

const tables = [...document.querySelectorAll("table.sortable")];
tables.forEach(sortable);
tables.forEach(filterable);

// A link to something inside a closed part opens it; #examples?agent=... shows just the examples of that agent.
function open() {
  const [id, query] = location.hash.slice(1).split("?");
  const target = document.getElementById(id);
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (!target || query === undefined) return;
  const table = target.querySelector("table.sortable");
  if (!table) return;
  for (let at = table; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  const wanted = new URLSearchParams(query);
  table.choose?.(wanted);
  explain(table, wanted);
  target.scrollIntoView();
}
addEventListener("hashchange", open);
open();
