-- title: Generation limits (tokens)
-- what: The most tokens that each kind of call may generate, and the window that prompt and generation share, as set for the runs.
-- paper: TreeAgent, Table 2
SELECT DISTINCT
    agent,
    runs.model,
    (decoding ->> 'memory_tokens')::BIGINT AS memory_tokens,
    (decoding ->> 'answer_tokens')::BIGINT AS answer_tokens,
    (decoding ->> 'controller_tokens')::BIGINT AS controller_tokens,
    (decoding ->> 'window')::BIGINT AS window_tokens,
    (decoding ->> 'temperature')::DOUBLE AS temperature,
    (decoding ->> 'top_p')::DOUBLE AS top_p,
    provenance(runs.sample) AS data
FROM runs
WHERE list_contains($runs::VARCHAR[], run_id)
ORDER BY agent_order(agent), agent, model, memory_tokens, answer_tokens, temperature
