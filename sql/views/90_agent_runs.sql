-- Runs of long-horizon agents, and what each of their planned tasks came to.

CREATE OR REPLACE VIEW agent_runs AS
SELECT
    run_id,
    build_id,
    dataset AS benchmark,
    agent AS framework,
    method AS variant,
    model,
    (decoding ->> '$.trial')::INTEGER AS trial,
    decoding ->> '$.auxiliary_model' AS auxiliary_model,
    decoding ->> '$.subset' AS subset,
    decoding ->> '$.search.engine' AS search,
    (decoding ->> '$.search.get_document')::BOOLEAN AS get_document,
    left(
        md5(
            concat_ws(
                '|', model, prompts_sha256, tokenizer_sha256, coalesce(template_sha256, ''),
                json_merge_patch(decoding, '{"trial": null, "seed": null}')
            )
        ),
        8
    ) AS setup,
    sample
FROM runs
WHERE decoding ->> '$.trial' IS NOT NULL;

COMMENT ON VIEW agent_runs IS 'Runs of long-horizon agents: one framework, variant and trial on one set of tasks';
COMMENT ON COLUMN agent_runs.run_id IS 'The run';
COMMENT ON COLUMN agent_runs.build_id IS 'Hash of its set of tasks: scores on other sets are not comparable';
COMMENT ON COLUMN agent_runs.benchmark IS 'sample, gaia or browsecomp_plus';
COMMENT ON COLUMN agent_runs.framework IS 'base, react, summary, resum, amem, thread or hymem';
COMMENT ON COLUMN agent_runs.variant IS 'full, or an ablation of HyMem: without_isolated_reasoning, without_memory';
COMMENT ON COLUMN agent_runs.model IS 'Model specification of the agents';
COMMENT ON COLUMN agent_runs.trial IS 'Number of the trial, from 1';
COMMENT ON COLUMN agent_runs.auxiliary_model IS 'Model specification of auxiliary work; null for the same model';
COMMENT ON COLUMN agent_runs.subset IS 'Part of the benchmark';
COMMENT ON COLUMN agent_runs.search IS 'Search back end';
COMMENT ON COLUMN agent_runs.get_document IS 'Whether agents on a collection may read whole documents';
COMMENT ON COLUMN agent_runs.setup IS 'Short hash of all that trials have in common: model, prompts, settings, limits, tools';
COMMENT ON COLUMN agent_runs.sample IS 'True for built-in sample tasks, which support no claims';

CREATE OR REPLACE VIEW agent_task_scores AS
WITH used AS (
    SELECT DISTINCT run_id, scorer FROM scores SEMI JOIN agent_runs USING (run_id)
),
scorers AS (
    -- a run whose answers are not scored yet has a null scorer; recall of evidence is no score of an answer
    SELECT agent_runs.run_id, used.scorer
    FROM agent_runs
    LEFT JOIN used ON used.run_id = agent_runs.run_id AND used.scorer <> 'evidence recall'
    UNION ALL
    FROM used WHERE scorer = 'evidence recall'
)
SELECT
    agent_runs.run_id,
    agent_runs.build_id,
    agent_runs.benchmark,
    agent_runs.framework,
    agent_runs.variant,
    agent_runs.model,
    agent_runs.setup,
    agent_runs.trial,
    agent_tasks.task_id,
    agent_tasks.name,
    agent_tasks.level,
    coalesce(predictions.outcome, 'skipped'::outcome) AS outcome,
    scorers.scorer,
    scores.scorer_version,
    coalesce(scores.score, 0) AS score,
    agent_runs.sample
FROM agent_runs
JOIN run_examples USING (run_id)
JOIN agent_tasks ON agent_tasks.task_id = run_examples.example_id
LEFT JOIN predictions ON predictions.run_id = agent_runs.run_id AND predictions.example_id = agent_tasks.task_id
JOIN scorers
    ON scorers.run_id = agent_runs.run_id
    AND (scorers.scorer IS DISTINCT FROM 'evidence recall' OR json_array_length(agent_tasks.evidence) > 0)
LEFT JOIN scores
    ON scores.run_id = agent_runs.run_id
    AND scores.example_id = agent_tasks.task_id
    AND scores.scorer = scorers.scorer;

COMMENT ON VIEW agent_task_scores IS 'One row for each planned task of a run and each scorer of it (evidence recall: of tasks with evidence); whatever is missing scores zero';
COMMENT ON COLUMN agent_task_scores.run_id IS 'The run';
COMMENT ON COLUMN agent_task_scores.build_id IS 'Hash of its set of tasks';
COMMENT ON COLUMN agent_task_scores.benchmark IS 'sample, gaia or browsecomp_plus';
COMMENT ON COLUMN agent_task_scores.framework IS 'Framework';
COMMENT ON COLUMN agent_task_scores.variant IS 'full, or an ablation';
COMMENT ON COLUMN agent_task_scores.model IS 'Model specification of the agents';
COMMENT ON COLUMN agent_task_scores.setup IS 'Short hash of all that trials have in common';
COMMENT ON COLUMN agent_task_scores.trial IS 'Number of the trial, from 1';
COMMENT ON COLUMN agent_task_scores.task_id IS 'The task';
COMMENT ON COLUMN agent_task_scores.name IS 'Its id within the benchmark';
COMMENT ON COLUMN agent_task_scores.level IS 'Its level';
COMMENT ON COLUMN agent_task_scores.outcome IS 'How it ended; skipped where it has no prediction';
COMMENT ON COLUMN agent_task_scores.scorer IS 'gaia for the official exact scorer; judge PROMPT by MODEL; evidence recall; null before scoring';
COMMENT ON COLUMN agent_task_scores.scorer_version IS 'Version of the scorer: for a judge, hash of its prompt and model';
COMMENT ON COLUMN agent_task_scores.score IS '1 for a correct answer, else 0; a share for evidence recall';
COMMENT ON COLUMN agent_task_scores.sample IS 'True for built-in sample tasks, which support no claims';

CREATE OR REPLACE VIEW agent_levels AS
WITH each_trial AS (
    SELECT
        build_id, benchmark, framework, variant, model, setup, scorer, trial,
        coalesce(level, 'all') AS level,
        count(*) AS tasks,
        avg(score) AS score,
        bool_or(sample) AS sample
    FROM agent_task_scores
    WHERE scorer IS NOT NULL
    GROUP BY GROUPING SETS (
        (build_id, benchmark, framework, variant, model, setup, scorer, trial, level),
        (build_id, benchmark, framework, variant, model, setup, scorer, trial)
    )
)
SELECT
    build_id,
    benchmark,
    framework,
    variant,
    model,
    setup,
    scorer,
    level,
    any_value(tasks) AS tasks,
    count(*) AS trials,
    avg(score) AS score,
    stddev_samp(score) AS spread,
    min(score) AS lowest,
    max(score) AS highest,
    bool_or(sample) AS sample
FROM each_trial
GROUP BY build_id, benchmark, framework, variant, model, setup, scorer, level;

COMMENT ON VIEW agent_levels IS 'Pass@1 by level: mean and spread over trials; level all weighs every task equally';
COMMENT ON COLUMN agent_levels.build_id IS 'Hash of the set of tasks';
COMMENT ON COLUMN agent_levels.benchmark IS 'sample, gaia or browsecomp_plus';
COMMENT ON COLUMN agent_levels.framework IS 'Framework';
COMMENT ON COLUMN agent_levels.variant IS 'full, or an ablation';
COMMENT ON COLUMN agent_levels.model IS 'Model specification of the agents';
COMMENT ON COLUMN agent_levels.setup IS 'Short hash of all that trials have in common';
COMMENT ON COLUMN agent_levels.scorer IS 'gaia for the official exact scorer; judge PROMPT by MODEL; evidence recall';
COMMENT ON COLUMN agent_levels.level IS 'Level, or all';
COMMENT ON COLUMN agent_levels.tasks IS 'Planned tasks of the level in a trial, for evidence recall those with evidence: the denominator';
COMMENT ON COLUMN agent_levels.trials IS 'Trials';
COMMENT ON COLUMN agent_levels.score IS 'Mean over trials of the share of correct answers, from 0 to 1';
COMMENT ON COLUMN agent_levels.spread IS 'Sample standard deviation over trials; null for one trial';
COMMENT ON COLUMN agent_levels.lowest IS 'Lowest score of a trial';
COMMENT ON COLUMN agent_levels.highest IS 'Highest score of a trial';
COMMENT ON COLUMN agent_levels.sample IS 'True for built-in sample tasks, which support no claims';
