-- Long-horizon agents: what they scored, what it took, and how their contexts grew. Judges are runs of their own.
CREATE OR REPLACE VIEW agent_scores AS
WITH scorers AS (SELECT DISTINCT run_id, scorer FROM scores)
SELECT
    run_setups.run_id,
    run_setups.build_id,
    run_setups.setup,
    run_setups.agent,
    run_setups.method,
    run_setups.model,
    agent_tasks.benchmark,
    agent_tasks.level,
    agent_tasks.task_id,
    agent_tasks.name,
    predictions.run_id IS NOT NULL AS done,
    coalesce(predictions.outcome, 'skipped'::outcome) AS outcome,
    scorers.scorer,
    scores.run_id IS NOT NULL AS scored,
    coalesce(scores.score, 0) AS score,
    run_setups.sample OR agent_tasks.sample AS sample
FROM run_examples
JOIN run_setups USING (run_id)
JOIN agent_tasks ON agent_tasks.task_id = run_examples.example_id
LEFT JOIN scorers USING (run_id)
LEFT JOIN predictions ON predictions.run_id = run_examples.run_id AND predictions.example_id = run_examples.example_id
LEFT JOIN scores
    ON scores.run_id = predictions.run_id
    AND scores.example_id = predictions.example_id
    AND scores.scorer = scorers.scorer
WHERE run_setups.agent <> 'judge';

COMMENT ON VIEW agent_scores IS 'One row for each planned task of a long-horizon run and each scorer of the run; whatever is missing scores zero';
COMMENT ON COLUMN agent_scores.run_id IS 'The run: one trial';
COMMENT ON COLUMN agent_scores.build_id IS 'Version of the set of tasks';
COMMENT ON COLUMN agent_scores.setup IS 'Short hash of what trials and variants share, see run_setups';
COMMENT ON COLUMN agent_scores.agent IS 'Framework: base, react, summary, resum, amem, thread or hymem';
COMMENT ON COLUMN agent_scores.method IS 'Variant: full, or what it goes without';
COMMENT ON COLUMN agent_scores.model IS 'Model specification';
COMMENT ON COLUMN agent_scores.benchmark IS 'sample, gaia or browsecomp_plus';
COMMENT ON COLUMN agent_scores.level IS 'Level of difficulty as the benchmark names it';
COMMENT ON COLUMN agent_scores.task_id IS 'The task';
COMMENT ON COLUMN agent_scores.name IS 'Id of the task within its benchmark';
COMMENT ON COLUMN agent_scores.done IS 'True where a prediction was recorded, whatever its outcome';
COMMENT ON COLUMN agent_scores.outcome IS 'Outcome of the prediction; skipped where there is none';
COMMENT ON COLUMN agent_scores.scorer IS 'Scorer: the official one or a judge; null where the run has no score yet';
COMMENT ON COLUMN agent_scores.scored IS 'True where the prediction has a score of this scorer';
COMMENT ON COLUMN agent_scores.score IS 'Score from 0 to 1; 0 where there is no prediction or no score';
COMMENT ON COLUMN agent_scores.sample IS 'True for built-in sample tasks, which support no claims';

CREATE OR REPLACE VIEW agent_costs AS
WITH events AS (
    SELECT
        run_id,
        task_id,
        count(*) FILTER (action = 'tool') AS tool_calls,
        count(*) FILTER (action = 'tool' AND status <> 'ok') AS failed_tool_calls,
        count(DISTINCT turn) FILTER (space = 'planner') AS planner_turns,
        max(context_tokens) AS largest_context,
        arg_max((content ->> 'confidence')::DOUBLE, event) FILTER (
            action = 'answer' AND content ->> 'confidence' IS NOT NULL
        ) AS confidence
    FROM agent_events
    GROUP BY run_id, task_id
),
folds AS (SELECT run_id, task_id, count(*) AS folds FROM memory_folds GROUP BY run_id, task_id)
SELECT
    run_examples.run_id,
    run_examples.example_id AS task_id,
    coalesce(example_costs.calls, 0) AS calls,
    coalesce(example_costs.prompt_tokens, 0) AS prompt_tokens,
    coalesce(example_costs.completion_tokens, 0) AS completion_tokens,
    coalesce(example_costs.prompt_tokens + example_costs.completion_tokens, 0) AS tokens,
    coalesce(events.tool_calls, 0) AS tool_calls,
    coalesce(events.failed_tool_calls, 0) AS failed_tool_calls,
    coalesce(events.planner_turns, 0) AS planner_turns,
    coalesce(folds.folds, 0) AS folds,
    events.largest_context,
    events.confidence,
    coalesce(example_costs.latency_s, 0) AS latency_s
FROM run_examples
SEMI JOIN agent_tasks ON agent_tasks.task_id = run_examples.example_id
LEFT JOIN example_costs USING (run_id, example_id)
LEFT JOIN events ON events.run_id = run_examples.run_id AND events.task_id = run_examples.example_id
LEFT JOIN folds ON folds.run_id = run_examples.run_id AND folds.task_id = run_examples.example_id;

COMMENT ON VIEW agent_costs IS 'What each task of a long-horizon run took';
COMMENT ON COLUMN agent_costs.run_id IS 'The run';
COMMENT ON COLUMN agent_costs.task_id IS 'The task';
COMMENT ON COLUMN agent_costs.calls IS 'Requests to the model, retries not counted';
COMMENT ON COLUMN agent_costs.prompt_tokens IS 'Prompt tokens of all its calls';
COMMENT ON COLUMN agent_costs.completion_tokens IS 'Generated tokens';
COMMENT ON COLUMN agent_costs.tokens IS 'Prompt and generated tokens together';
COMMENT ON COLUMN agent_costs.tool_calls IS 'Tool calls';
COMMENT ON COLUMN agent_costs.failed_tool_calls IS 'Those of them that ended in an error';
COMMENT ON COLUMN agent_costs.planner_turns IS 'Turns of the planner; 0 for frameworks without one';
COMMENT ON COLUMN agent_costs.folds IS 'Folds of the memories';
COMMENT ON COLUMN agent_costs.largest_context IS 'Tokens of the largest context of any call';
COMMENT ON COLUMN agent_costs.confidence IS 'Confidence that the agent gave with its answer, from 0 to 1; null where it gave none';
COMMENT ON COLUMN agent_costs.latency_s IS 'Seconds from request to response, summed over attempts';

-- The last size of every context so far adds up to the total: it is the running sum of how much each grew.
CREATE OR REPLACE VIEW context_steps AS
WITH model_turns AS (
    SELECT
        run_id,
        task_id,
        event,
        space,
        session,
        context_tokens,
        planning_tokens,
        space = CASE WHEN agent = 'hymem' THEN 'planner' WHEN agent = 'thread' THEN 'thread' ELSE 'flat' END AS persistent,
        context_tokens - lag(context_tokens, 1, 0) OVER (PARTITION BY run_id, task_id, space, session ORDER BY event) AS growth
    FROM agent_events
    JOIN runs USING (run_id)
    WHERE context_tokens IS NOT NULL
)
SELECT
    run_id,
    task_id,
    event,
    row_number() OVER in_task AS step,
    row_number() OVER in_task / count(*) OVER (PARTITION BY run_id, task_id) AS progress,
    space,
    session,
    persistent,
    context_tokens,
    planning_tokens,
    planning_tokens / nullif(context_tokens, 0) AS density,
    (sum(growth) OVER in_task)::BIGINT AS total_tokens
FROM model_turns
WINDOW in_task AS (PARTITION BY run_id, task_id ORDER BY event);

COMMENT ON VIEW context_steps IS 'Size and planning density of the context at each model call of a long-horizon run (equations 2 and 3 of the HyMem paper)';
COMMENT ON COLUMN context_steps.run_id IS 'The run';
COMMENT ON COLUMN context_steps.task_id IS 'The task';
COMMENT ON COLUMN context_steps.event IS 'Number of the event within the task';
COMMENT ON COLUMN context_steps.step IS 'Number of the model call within the task, from 1';
COMMENT ON COLUMN context_steps.progress IS 'Share of the calls of the task that are done with this one, up to 1';
COMMENT ON COLUMN context_steps.space IS 'Context space';
COMMENT ON COLUMN context_steps.session IS 'Instance of the space';
COMMENT ON COLUMN context_steps.persistent IS 'True in the context that lasts for the whole task: of HyMem the planner, of the others their own';
COMMENT ON COLUMN context_steps.context_tokens IS 'Tokens of the prompt';
COMMENT ON COLUMN context_steps.planning_tokens IS 'Those of them that are relevant to planning';
COMMENT ON COLUMN context_steps.density IS 'Planning-relevant share of the context, from 0 to 1';
COMMENT ON COLUMN context_steps.total_tokens IS 'Tokens of all contexts of the task together, each at its last size so far';
