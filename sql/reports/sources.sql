-- title: Sources
-- what: The sources that contexts of the dataset version draw on: what was collected in all, how much of it the examples use, and
--   under which terms.
-- paper: TreeAgent, section 4.1
WITH used AS (
    SELECT
        payloads.source,
        count(DISTINCT payloads.payload_id) AS used_payloads,
        count(DISTINCT build_examples.example_id) AS examples
    FROM build_examples
    JOIN example_payloads USING (example_id)
    JOIN payloads USING (payload_id)
    WHERE list_contains($builds::VARCHAR[], build_examples.build_id)
    GROUP BY payloads.source
)
SELECT
    source_overview.dataset,
    source_overview.source,
    source_overview.title,
    source_overview.transports,
    source_overview.responses,
    source_overview.bytes,
    source_overview.payloads,
    source_overview.records,
    used.used_payloads,
    used.examples,
    source_overview.licence,
    source_overview.version,
    source_overview.first_retrieved_at AS first_retrieved,
    source_overview.last_retrieved_at AS last_retrieved,
    source_overview.home_url,
    source_overview.terms_url,
    source_overview.notice,
    provenance(source_overview.sample) AS data
FROM source_overview
JOIN used USING (source)
ORDER BY dataset_order(dataset), dataset, source
