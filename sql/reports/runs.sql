-- title: Configuration of each run
-- what: All that defines a run. Runs with the same setup differ in dataset, agent, method and trial only.
-- paper: TreeAgent, appendix C and Table 2
WITH planned AS (
    SELECT
        run_examples.run_id,
        count(*) AS planned,
        count(predictions.run_id) AS done,
        bool_or(examples.sample) AS sample
    FROM run_examples
    LEFT JOIN predictions USING (run_id, example_id)
    LEFT JOIN examples USING (example_id)
    GROUP BY run_examples.run_id
)
SELECT
    runs.run_id AS run,
    run_setups.setup,
    runs.agent,
    runs.method,
    runs.dataset,
    runs.model,
    runs.base_budget,
    runs.decoding,
    runs.prompts,
    runs.prompts_sha256,
    runs.tokenizer,
    runs.tokenizer_sha256,
    runs.template_sha256,
    runs.server,
    runs.endpoint,
    runs.code_version,
    runs.flow_run_id AS flow_run,
    runs.recorded_at AS started,
    runs.build_id AS build,
    planned.planned,
    planned.done,
    provenance(runs.sample OR coalesce(planned.sample, FALSE)) AS data
FROM runs
JOIN run_setups USING (run_id)
LEFT JOIN planned USING (run_id)
WHERE list_contains($runs::VARCHAR[], runs.run_id) OR list_contains($agent_runs::VARCHAR[], runs.run_id)
ORDER BY agent_order(runs.agent), runs.agent, runs.model, run_setups.setup, dataset_order(runs.dataset), runs.dataset,
    method_order(runs.method), runs.method, runs.recorded_at
