-- title: Expectations over the tables
-- what: Every expectation of the Great Expectations suites over the tables of the dataset version and over what was collected for
--   it, what was observed, and keys of the rows that fail it.
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
FROM builds
JOIN validations
    ON (suite = 'expectations' AND validations.build_id = builds.build_id)
    OR (suite = 'collected' AND validations.build_id = concat_ws(' ', 'collected', dataset, parameters ->> '$.transport'))
WHERE list_contains($builds::VARCHAR[], builds.build_id)
ORDER BY dataset_order(dataset), dataset, passed, subject, expectation, arguments
