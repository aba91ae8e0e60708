-- title: Ablation of HyMem
-- what: Pass@1 (%) of HyMem and of its variants, the difference on the same tasks with its normal 95 % interval, mean turns of the planner,
--   and the mean confidence that stands in the answers. The paper does not define its column "Plan."; turns of the planner stand beside it.
-- paper: HyMem, Table 2
WITH bases AS (
    -- Runs are variants of one setup where they share all settings but those that the variants are made of.
    SELECT
        run_id,
        left(
            md5(
                concat_ws(
                    '|', prompts_sha256, tokenizer_sha256, coalesce(template_sha256, ''),
                    json_merge_patch(
                        decoding, '{"trial": null, "seed": null, "settings": {"memory": null, "isolated": null}}'
                    )
                )
            ),
            8
        ) AS setup
    FROM runs
),
by_task AS (
    SELECT
        agent_task_scores.benchmark,
        agent_task_scores.model,
        bases.setup,
        variant AS method,
        scorer,
        task_id,
        avg(score) AS score,
        avg(planner_turns) FILTER (planner_turns > 0) AS planner_turns,
        avg(confidence) AS confidence,
        bool_and(outcome <> 'skipped') AS done,
        sample
    FROM agent_task_scores
    JOIN bases USING (run_id)
    LEFT JOIN agent_task_costs USING (run_id, task_id)
    WHERE list_contains($agent_runs::VARCHAR[], run_id)
        AND framework = 'hymem'
        AND scorer IS DISTINCT FROM 'evidence recall'
    GROUP BY ALL
),
paired AS (
    SELECT variant.*, variant.score - whole.score AS difference
    FROM by_task AS variant
    LEFT JOIN by_task AS whole
        ON whole.method = 'full'
        AND variant.method <> 'full'
        AND whole.benchmark = variant.benchmark
        AND whole.model = variant.model
        AND whole.setup = variant.setup
        AND whole.scorer IS NOT DISTINCT FROM variant.scorer
        AND whole.task_id = variant.task_id
)
SELECT
    benchmark AS dataset,
    model,
    setup,
    'hymem' AS agent,
    method,
    scorer,
    percent(avg(score)) AS score,
    percent(avg(difference)) AS difference,
    percent(within(avg(difference) - half_width(difference, 1), -1, 1)) AS low,
    percent(within(avg(difference) + half_width(difference, 1), -1, 1)) AS high,
    round(avg(planner_turns), 2) AS planner_turns,
    round(avg(confidence), 2) AS confidence,
    count(*) AS planned,
    count(*) FILTER (done) AS done,
    provenance(sample) AS data
FROM paired
GROUP BY benchmark, model, setup, method, scorer, sample
ORDER BY dataset_order(benchmark), benchmark, model, scorer, setup, method_order(method), method
