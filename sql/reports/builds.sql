-- title: Dataset versions
-- what: The size of each dataset version, and the parameters that it was built with. Lengths are in tokens of the construction tokenizer.
-- paper: TreeAgent, section 4.1
SELECT
    build_overview.build_id AS build,
    build_overview.dataset,
    build_overview.examples,
    build_overview.tasks,
    build_overview.lengths,
    build_overview.shortest,
    build_overview.longest,
    build_overview.contexts,
    build_overview.payloads,
    build_overview.construction_tokenizer AS tokenizer,
    builds.parameters,
    build_overview.created_at AS created,
    provenance(build_overview.sample) AS data
FROM build_overview
JOIN builds USING (build_id)
WHERE list_contains($builds::VARCHAR[], build_overview.build_id)
ORDER BY dataset_order(build_overview.dataset), build_overview.dataset, build_overview.created_at
