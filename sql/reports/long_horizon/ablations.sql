-- title: Ablations of HyMem
-- what: Pass@1 by the exact scorer, planner turns and stated confidence of HyMem and its variants, as means over tasks and trials;
--   differences are to the full framework.
-- paper: HyMem, Table 2
WITH each_variant AS (
    SELECT
        scores.benchmark,
        scores.build_id,
        scores.model,
        scores.variant,
        avg(scores.score) AS score,
        avg(costs.planner_turns) AS planner_turns,
        avg(costs.confidence) AS confidence,
        count(DISTINCT scores.trial) AS trials,
        count(*) AS answers,
        bool_or(scores.sample) AS sample
    FROM agent_task_scores AS scores
    LEFT JOIN agent_task_costs AS costs USING (run_id, task_id)
    WHERE list_contains($runs::VARCHAR[], scores.run_id) AND scores.framework = 'hymem' AND scores.scorer = 'gaia'
    GROUP BY ALL
)
SELECT
    one.benchmark,
    one.model,
    one.variant,
    percent(one.score) AS score,
    percent(one.score - whole.score) AS difference,
    round(one.planner_turns, 2) AS planner_turns,
    round(one.confidence, 2) AS confidence,
    one.trials,
    one.answers,
    provenance(one.sample) AS data
FROM each_variant AS one
LEFT JOIN each_variant AS whole
    ON whole.variant = 'full' AND whole.build_id = one.build_id AND whole.model = one.model
ORDER BY one.benchmark, one.model, one.variant <> 'full', one.variant
