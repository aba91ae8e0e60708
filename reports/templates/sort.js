// Sort a table by the column whose heading is pressed; cells without a value go last, whichever the direction.
for (const table of document.querySelectorAll("table.sortable")) {
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
// A link to something inside a closed part opens it.
const open = () => {
  for (let at = document.getElementById(location.hash.slice(1)); at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
};
addEventListener("hashchange", open);
open();
