-- title: Validation
-- what: "independent" executes each reference specification over the complete visible context a second time, by other code; "expectations"
--   are Great Expectations suites over the tables. Observed is given for a single subject, or for the first that failed.
-- paper: TreeAgent, appendix B
WITH checks AS (
    SELECT
        builds.dataset,
        validations.suite,
        CASE
            WHEN validations.suite = 'expectations' THEN validations.subject
            WHEN examples.example_id IS NOT NULL THEN 'each example'
            ELSE 'the whole'
        END AS subject,
        validations.check_name,
        validations.passed,
        validations.observed,
        validations.subject AS subject_id,
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
    CASE
        WHEN count(*) FILTER (NOT passed) > 0 THEN arg_min(observed, subject_id) FILTER (NOT passed)
        WHEN count(*) = 1 THEN any_value(observed)
    END AS observed,
    CASE WHEN suite <> 'expectations' THEN min(subject_id) FILTER (NOT passed) END AS first_failed,
    provenance(sample) AS data
FROM checks
GROUP BY dataset, suite, subject, check_name, sample
ORDER BY dataset_order(dataset), dataset, suite DESC, subject, check_name
