"""The page: complete in itself, honest about what it shows, valid where it is empty."""

import re

import pytest
from lxml import html

from tasks.reporting import page, query
from tasks.reporting.contents import gather


def rendered(invented, **chosen):
    return page.html(gather(invented.con, **chosen))


@pytest.fixture(scope="module")
def shown(fresh_invented, fill_pair):
    """The page of the pair, parsed once."""
    invented = fresh_invented()
    fill_pair(invented)
    return html.document_fromstring(rendered(invented))


def test_nothing_is_loaded_from_anywhere(shown):
    for node in shown.iter():
        for name, value in node.attrib.items():
            if name.split("}")[-1] in ("src", "srcset", "data", "action", "poster", "href", "xlink:href"):
                plain_link = node.tag == "a" and value.startswith(("https://", "http://"))
                beside = node.tag == "a" and value == "readings.html"
                assert plain_link or beside or value.startswith(("#", "data:")), (node.tag, name, value)
    styles = " ".join(node.text or "" for node in shown.iter("style")) + " ".join(shown.xpath("//@style"))
    assert "@import" not in styles
    assert all(target.startswith("#") for target in re.findall(r"url\((.*?)\)", styles))
    assert not shown.xpath("//script[@src] | //link[@rel='stylesheet'] | //iframe | //object | //embed")


def test_every_id_is_there_once_and_every_inner_link_leads_somewhere(shown):
    ids = shown.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = [href[1:] for href in shown.xpath("//nav/a/@href")]
    assert links
    assert set(links) <= set(ids)


def test_headline_sample_and_prompts_stand_on_top(shown):
    head = shown.xpath("//header")[0].text_content()
    assert "Flat 25.00\N{NO-BREAK SPACE}%, TreeAgent 62.50\N{NO-BREAK SPACE}%" in head
    assert "Sample data: built-in and invented" in head
    assert "own wording" in head


def test_sample_data_is_marked_in_every_table_and_row(shown):
    tables = shown.xpath("//figure[@class='table']")
    assert len(tables) > 8
    for figure in tables:
        if not figure.xpath(".//table"):
            continue
        tags = figure.xpath(".//figcaption//*[@class='tag']") or figure.xpath("../h2/*[@class='tag']")
        assert [tag.text_content() for tag in tags] == ["sample data"], figure.get("id")
        if not figure.xpath(".//table[@class='flipped']"):
            for row in figure.xpath(".//tbody/tr"):
                assert row.xpath("./td")[-1].text_content() == "sample"
    assert all(figure.xpath(".//figcaption//*[@class='tag']") for figure in shown.xpath("//figure[@class='picture']"))


def test_each_table_shows_sql_that_gives_its_rows(pair, shown):
    for figure in shown.xpath("//figure[@class='table']"):
        sql = figure.xpath(".//details[@class='sql']//code")[0].text_content()
        name = figure.get("id").removeprefix("table-")
        expected = query.run(pair.con, name, {"runs": ["flat", "tree"], "builds": ["b1"], "agent_runs": []})
        assert pair.con.execute(sql).fetchall() == list(expected.rows)


def test_published_numbers_are_labelled(shown):
    main = shown.xpath("//figure[@id='table-main_table']")[0]
    assert "published" in main.xpath(".//thead")[0].text_content()
    cells = main.xpath(".//td[contains(@class, 'published')]")
    assert [cell.text_content() for cell in cells] == ["35.48", "37.28"]
    assert "MemAgent-7B" in cells[0].get("title")
    assert "Table 1, page 7" in cells[0].get("title")


def test_sources_show_licence_terms_and_notice(shown):
    data = shown.xpath("//section[@id='data']")[0]
    assert "Data courtesy of the U.S. Geological Survey." in data.text_content()
    assert data.xpath(".//a[text()='public domain']/@href") == [
        "https://www.usgs.gov/information-policies-and-instructions"
    ]


def test_text_from_data_stays_text(pair):
    text = rendered(pair)
    assert "near &lt;Anza&gt; &amp; Ocotillo?" in text
    assert "<b>4.2</b>" not in text


def test_a_cell_of_every_column_in_every_row(shown):
    for table in shown.xpath("//table[contains(@class, 'sortable')]"):
        width = len(table.xpath(".//thead/tr[last()]/th"))
        assert {len(row.xpath("./td")) for row in table.xpath("./tbody/tr")} == {width}
        for row in table.xpath("./thead/tr[@class='groups']"):
            assert sum(int(head.get("colspan", 1)) for head in row.xpath("./th")) == width


def test_a_single_run_says_what_a_difference_needs(pair):
    shown = html.document_fromstring(rendered(pair, runs=["flat"]))
    assert "needs a run under Flat and one under another method" in shown.text_content()
    assert not shown.xpath("//*[@id='figure-gains_by_task']")


def test_a_version_without_runs_shows_its_data(invented):
    invented.build("b1")
    shown = html.document_fromstring(rendered(invented))
    assert "No run to report on yet" in shown.xpath("//h1")[0].text_content()
    assert shown.xpath("//figure[@id='table-sources']//table")
    assert not shown.xpath("//section[@id='lengths'] | //section[@id='outcomes']")


def test_real_data_is_not_called_sample(invented):
    ids = invented.build("b1", sample=False)
    invented.run("r", "b1", ids, [1.0] * 4, sample=False)
    shown = html.document_fromstring(rendered(invented))
    assert not shown.xpath("//*[@class='tag']")
    assert "Sample data" not in shown.xpath("//header")[0].text_content()


def test_markdown(pair):
    text = page.text(gather(pair.con))
    assert text.startswith("# treebench: JSON\n\n**MemAgent on JSON sample data: Flat 25.00 %")
    assert "> Sample data" in text
    assert "![Mean answer scores (sample data)](figures/scores.png)" in text
    assert "| MemAgent | embedded | Flat | 4 | 25.00 | 35.48 | sample |" in text
    assert "\n\n\n" not in text
