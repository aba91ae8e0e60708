-- What long-horizon agents took, and how their contexts grew: all from rows of agent_events.

CREATE OR REPLACE VIEW agent_task_costs AS
WITH counted AS (
    SELECT
        run_id,
        task_id,
        count(*) FILTER (position IS NOT NULL) AS turns,
        count(*) FILTER (action = 'tool') AS tool_calls,
        count(*) FILTER (action = 'tool' AND status <> 'ok') AS failed_tool_calls,
        count(*) FILTER (status = 'unparsed') AS unparsed,
        count(*) FILTER (status = 'repaired') AS repaired,
        coalesce(sum(raw_characters), 0)::BIGINT AS raw_characters,
        max(context_tokens) FILTER (space IN ('planner', 'flat', 'thread')) AS largest_context,
        max(turn) FILTER (space = 'planner') AS planner_turns,
        (max(content ->> '$.confidence') FILTER (action = 'answer'))::DOUBLE AS confidence,
        max(event) AS last_event
    FROM agent_events
    WHERE action <> 'superseded'
    GROUP BY run_id, task_id
),
folded AS (
    SELECT memory_folds.run_id, memory_folds.task_id, count(*) AS folds
    FROM memory_folds
    JOIN counted
        ON counted.run_id = memory_folds.run_id
        AND counted.task_id = memory_folds.task_id
        AND memory_folds.event <= counted.last_event
    GROUP BY ALL
)
SELECT
    counted.run_id,
    counted.task_id,
    counted.turns,
    counted.planner_turns,
    counted.tool_calls,
    counted.failed_tool_calls,
    counted.unparsed,
    counted.repaired,
    coalesce(folded.folds, 0) AS folds,
    counted.raw_characters,
    counted.largest_context,
    counted.confidence,
    coalesce(example_costs.prompt_tokens, 0) + coalesce(example_costs.completion_tokens, 0) AS tokens
FROM counted
LEFT JOIN folded ON folded.run_id = counted.run_id AND folded.task_id = counted.task_id
LEFT JOIN example_costs ON example_costs.run_id = counted.run_id AND example_costs.example_id = counted.task_id;

COMMENT ON VIEW agent_task_costs IS 'What each task took: turns, tool calls, folds and tokens, summed over rows';
COMMENT ON COLUMN agent_task_costs.run_id IS 'The run';
COMMENT ON COLUMN agent_task_costs.task_id IS 'The task';
COMMENT ON COLUMN agent_task_costs.turns IS 'Replies of the model in all context spaces';
COMMENT ON COLUMN agent_task_costs.planner_turns IS 'Turns of the planner; null for the baselines';
COMMENT ON COLUMN agent_task_costs.tool_calls IS 'Tool calls';
COMMENT ON COLUMN agent_task_costs.failed_tool_calls IS 'Tool calls that gave an error';
COMMENT ON COLUMN agent_task_costs.unparsed IS 'Replies without a usable action';
COMMENT ON COLUMN agent_task_costs.repaired IS 'Turns that a second request put right';
COMMENT ON COLUMN agent_task_costs.folds IS 'Folds of the memories';
COMMENT ON COLUMN agent_task_costs.raw_characters IS 'Characters that tools had found before anything was cut';
COMMENT ON COLUMN agent_task_costs.largest_context IS 'Largest context that lasts, in tokens: the planner, or the one context of a baseline';
COMMENT ON COLUMN agent_task_costs.confidence IS 'Confidence of the answer from 0 to 1; null where none was stated';
COMMENT ON COLUMN agent_task_costs.tokens IS 'Prompt and generated tokens of all finished model calls';

CREATE OR REPLACE VIEW agent_contexts AS
WITH turns AS (
    SELECT *
    FROM agent_events
    WHERE position IS NOT NULL
),
-- The largest context of each temporary session so far; what HyMem holds in all is their sum and the planner's context.
grown AS (
    SELECT
        *,
        max(context_tokens) OVER (
            PARTITION BY run_id, task_id, space, session ORDER BY event ROWS UNBOUNDED PRECEDING
        ) AS session_tokens,
        last_value(CASE WHEN space IN ('planner', 'flat', 'thread') THEN context_tokens END IGNORE NULLS) OVER (
            PARTITION BY run_id, task_id ORDER BY event ROWS UNBOUNDED PRECEDING
        ) AS lasting_tokens
    FROM turns
),
added AS (
    SELECT
        *,
        session_tokens - coalesce(
            lag(session_tokens) OVER (PARTITION BY run_id, task_id, space, session ORDER BY event), 0
        ) AS growth
    FROM grown
)
SELECT
    agent_runs.run_id,
    agent_runs.framework,
    agent_runs.variant,
    added.task_id,
    added.event,
    row_number() OVER (PARTITION BY added.run_id, added.task_id ORDER BY added.event) AS step,
    added.event / max(added.event) OVER (PARTITION BY added.run_id, added.task_id) AS progress,
    added.space,
    added.session,
    added.turn,
    added.context_tokens,
    added.planning_tokens,
    added.planning_tokens / nullif(added.context_tokens, 0) AS density,
    coalesce(added.lasting_tokens, 0) AS lasting_tokens,
    coalesce(added.lasting_tokens, 0) + coalesce(
        sum(CASE WHEN added.space NOT IN ('planner', 'flat', 'thread') THEN added.growth END) OVER (
            PARTITION BY added.run_id, added.task_id ORDER BY added.event ROWS UNBOUNDED PRECEDING
        ),
        0
    )::BIGINT AS total_tokens,
    agent_runs.sample
FROM added
JOIN agent_runs ON agent_runs.run_id = added.run_id;

COMMENT ON VIEW agent_contexts IS 'Context growth and dilution (figures 1 and 4, equation 3): one row for each reply of the model';
COMMENT ON COLUMN agent_contexts.run_id IS 'The run';
COMMENT ON COLUMN agent_contexts.framework IS 'Framework';
COMMENT ON COLUMN agent_contexts.variant IS 'full, or an ablation';
COMMENT ON COLUMN agent_contexts.task_id IS 'The task';
COMMENT ON COLUMN agent_contexts.event IS 'Number of the event';
COMMENT ON COLUMN agent_contexts.step IS 'Number of the reply within the task, from 1';
COMMENT ON COLUMN agent_contexts.progress IS 'Share of the events of the task that are over, from 0 to 1';
COMMENT ON COLUMN agent_contexts.space IS 'Context space of the reply';
COMMENT ON COLUMN agent_contexts.session IS 'Instance of that space';
COMMENT ON COLUMN agent_contexts.turn IS 'Turn within the session';
COMMENT ON COLUMN agent_contexts.context_tokens IS 'Tokens of the context that was replied to';
COMMENT ON COLUMN agent_contexts.planning_tokens IS 'Those of them that are relevant to planning';
COMMENT ON COLUMN agent_contexts.density IS 'rho of equation 3: planning-relevant tokens as a share of the context';
COMMENT ON COLUMN agent_contexts.lasting_tokens IS 'Tokens of the context that lasts: HyMem''s planner, or the one context of a baseline';
COMMENT ON COLUMN agent_contexts.total_tokens IS 'These and the largest contexts of all temporary sessions so far: HyMem-Total of figure 4';
COMMENT ON COLUMN agent_contexts.sample IS 'True for built-in sample tasks, which support no claims';
