-- title: Configuration of each run
-- what: All that defines a run. Runs with the same setup differ in dataset, agent and observation method only.
-- paper: TreeAgent, appendix C and Table 2
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
    run_scores.planned,
    run_scores.done,
    provenance(runs.sample OR coalesce(run_scores.sample, FALSE)) AS data
FROM runs
JOIN run_setups USING (run_id)
LEFT JOIN run_scores USING (run_id)
WHERE list_contains($runs::VARCHAR[], runs.run_id)
ORDER BY agent_order(runs.agent), runs.agent, runs.model, run_setups.setup, dataset_order(runs.dataset), runs.dataset,
    method_order(runs.method), runs.method, runs.recorded_at
