-- title: Expectations over the tables
-- what: Every expectation of the Great Expectations suites over the tables of the dataset version, what was observed, and keys of the rows
--   that fail it.
-- paper: no table of its own
SELECT
    builds.dataset,
    validations.subject AS subject,
    replace(regexp_extract(check_name, '^expect_(\S+)', 1), '_', ' ') AS expectation,
    regexp_extract(check_name, '^\S+\s(.*)$', 1) AS arguments,
    CASE WHEN passed THEN 'held' ELSE 'failed' END AS result,
    regexp_replace(observed, '^observed ', '') AS observed,
    CASE WHEN json_array_length(failing) > 0 THEN failing::VARCHAR END AS failing,
    validations.recorded_at AS checked_at,
    provenance(builds.sample) AS data
FROM validations
JOIN builds USING (build_id)
WHERE suite = 'expectations' AND list_contains($builds::VARCHAR[], build_id)
ORDER BY dataset_order(dataset), dataset, passed, subject, expectation, arguments
