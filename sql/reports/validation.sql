-- title: Validation
-- what: How often each check held. "independent" executes each reference specification over the complete visible context a second time,
--   by other code; "expectations" are Great Expectations suites over the tables, listed one by one below. Observed is given for the first
--   example that failed.
-- paper: TreeAgent, appendix B
WITH checks AS (
    SELECT
        builds.dataset,
        validations.suite,
        CASE
            WHEN validations.suite = 'expectations' THEN 'table ' || validations.subject
            WHEN examples.example_id IS NOT NULL THEN 'each example'
            ELSE 'the whole'
        END AS subject,
        CASE WHEN validations.suite = 'expectations' THEN 'all expectations' ELSE validations.check_name END AS check_name,
        validations.passed,
        validations.observed,
        CASE WHEN validations.suite = 'expectations' THEN validations.check_name ELSE validations.subject END AS subject_id,
        builds.sample
    FROM validations
    JOIN builds USING (build_id)
    LEFT JOIN examples ON examples.example_id = validations.subject
    WHERE list_contains($builds::VARCHAR[], validations.build_id)
)
SELECT
    dataset,
    suite,
    subject,
    check_name AS "check",
    count(*) AS checked,
    count(*) FILTER (passed) AS passed,
    count(*) FILTER (NOT passed) AS failed,
    arg_min(observed, subject_id) FILTER (NOT passed) AS observed,
    min(subject_id) FILTER (NOT passed) AS first_failed,
    provenance(sample) AS data
FROM checks
GROUP BY dataset, suite, subject, check_name, sample
ORDER BY dataset_order(dataset), dataset, suite DESC, subject, check_name
