-- The text that agents read, from the payloads of an example: FROM context('...'). The same as tasks/warehouse/contexts.py.

CREATE OR REPLACE MACRO context(wanted) AS TABLE
    WITH pieces AS (
        SELECT e.example_id, e.dataset, x.position, p.text,
            CASE WHEN regexp_matches(p.text, '\A(?:[ \t]*(?:#[^\n]*)?\r?\n)*---(?:[ \t\r\n]|\z)')
                THEN p.text ELSE '---' || chr(10) || p.text END AS document
        FROM examples e JOIN example_payloads x USING (example_id) JOIN payloads p USING (payload_id)
        WHERE e.example_id = wanted
    )
    SELECT example_id, dataset,
        CASE dataset
            WHEN 'json' THEN '[' || chr(10) || string_agg(text, ',' || chr(10) ORDER BY position) || chr(10) || ']'
            WHEN 'yaml' THEN string_agg(
                CASE WHEN ends_with(document, chr(10)) THEN document ELSE document || chr(10) END, '' ORDER BY position)
            WHEN 'html' THEN string_agg(text, chr(10) ORDER BY position)
            WHEN 'javascript' THEN string_agg(text, chr(10) || chr(10) ORDER BY position)
        END AS text
    FROM pieces
    GROUP BY example_id, dataset;
COMMENT ON MACRO TABLE context IS 'The context of an example: example_id, dataset, text';
