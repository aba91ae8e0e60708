-- What was run on the benchmark. Every row is written once, but for retries, which replace by time.

CREATE TABLE budgets (
    example_id VARCHAR,
    tokenizer VARCHAR,
    method VARCHAR,
    base_budget INTEGER,
    budget INTEGER NOT NULL,
    tokens BIGINT NOT NULL,
    flat_sections INTEGER NOT NULL,
    sections INTEGER NOT NULL,
    tried JSON NOT NULL,
    PRIMARY KEY (example_id, tokenizer, method, base_budget)
);
COMMENT ON TABLE budgets IS 'Budget search of an example (appendix A.2): the budget chosen and the counts seen';
COMMENT ON COLUMN budgets.example_id IS 'The example';
COMMENT ON COLUMN budgets.tokenizer IS 'Tokenizer of the agent';
COMMENT ON COLUMN budgets.method IS 'Sectioning method: flat or tree';
COMMENT ON COLUMN budgets.base_budget IS 'C, the token budget of Flat';
COMMENT ON COLUMN budgets.budget IS 'B*, the budget chosen; C for flat';
COMMENT ON COLUMN budgets.tokens IS 'Tokens of the whole context';
COMMENT ON COLUMN budgets.flat_sections IS 'N, sections of Flat at C: ceil(tokens / C)';
COMMENT ON COLUMN budgets.sections IS 'n, sections at the chosen budget';
COMMENT ON COLUMN budgets.tried IS 'Pairs [budget, section count] in the order tried';

CREATE TABLE sections (
    example_id VARCHAR,
    tokenizer VARCHAR,
    method VARCHAR,
    base_budget INTEGER,
    position INTEGER,
    type VARCHAR NOT NULL,
    path VARCHAR,
    range_start INTEGER,
    range_end INTEGER,
    span_start BIGINT NOT NULL,
    span_end BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    atomic BOOLEAN NOT NULL,
    PRIMARY KEY (example_id, tokenizer, method, base_budget, position)
);
COMMENT ON TABLE sections IS 'The sections of a context in reading order (Algorithm 1, or Flat)';
COMMENT ON COLUMN sections.example_id IS 'The example';
COMMENT ON COLUMN sections.tokenizer IS 'Tokenizer of the agent';
COMMENT ON COLUMN sections.method IS 'Sectioning method: flat or tree';
COMMENT ON COLUMN sections.base_budget IS 'C, the token budget of Flat';
COMMENT ON COLUMN sections.position IS 'Order of reading, from 1';
COMMENT ON COLUMN sections.type IS 'subtree, siblings, span or flat';
COMMENT ON COLUMN sections.path IS 'Structural path (section 3.2); null for flat';
COMMENT ON COLUMN sections.range_start IS 'First child of a sibling group, from 0';
COMMENT ON COLUMN sections.range_end IS 'Last child of a sibling group, inclusive';
COMMENT ON COLUMN sections.span_start IS 'First character in the context, from 0';
COMMENT ON COLUMN sections.span_end IS 'Character behind the last one in the context';
COMMENT ON COLUMN sections.tokens IS 'Exact tokens of the slice';
COMMENT ON COLUMN sections.atomic IS 'True where an indivisible leaf may exceed the budget';

CREATE TABLE links (
    example_id VARCHAR,
    tokenizer VARCHAR,
    base_budget INTEGER,
    target INTEGER,
    source INTEGER,
    PRIMARY KEY (example_id, tokenizer, base_budget, target, source)
);
COMMENT ON TABLE links IS 'Residual memory links (section 3.3): memory after source is readable at target';
COMMENT ON COLUMN links.example_id IS 'The example';
COMMENT ON COLUMN links.tokenizer IS 'Tokenizer of the agent';
COMMENT ON COLUMN links.base_budget IS 'C, the token budget of Flat';
COMMENT ON COLUMN links.target IS 'Position of the section at which the memory is read';
COMMENT ON COLUMN links.source IS 'Position of the section after which the memory was saved';

CREATE TYPE outcome AS ENUM (
    'stop', 'length', 'overflow', 'server_error', 'timeout', 'aborted', 'parse_error', 'tool_error', 'budget', 'skipped'
);

CREATE TABLE runs (
    run_id VARCHAR PRIMARY KEY,
    build_id VARCHAR NOT NULL,
    dataset VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    method VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    endpoint VARCHAR NOT NULL,
    server JSON NOT NULL,
    prompts VARCHAR NOT NULL,
    prompts_sha256 VARCHAR NOT NULL,
    tokenizer VARCHAR NOT NULL,
    tokenizer_sha256 VARCHAR NOT NULL,
    template_sha256 VARCHAR,
    base_budget INTEGER NOT NULL,
    decoding JSON NOT NULL,
    code_version VARCHAR NOT NULL,
    flow_run_id VARCHAR,
    sample BOOLEAN NOT NULL,
    recorded_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE runs IS 'One evaluation: an agent under a method on a dataset version, with all that defines it';
COMMENT ON COLUMN runs.run_id IS 'Hash of everything that defines the run; the same configuration resumes the same run';
COMMENT ON COLUMN runs.build_id IS 'Dataset version that it reads';
COMMENT ON COLUMN runs.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN runs.agent IS 'Memory agent or long-horizon agent';
COMMENT ON COLUMN runs.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN runs.model IS 'Model specification, a file in datasets/models/';
COMMENT ON COLUMN runs.endpoint IS 'Address of the chat endpoint at the last start';
COMMENT ON COLUMN runs.server IS 'What the server reported of itself: software, version, flags, model';
COMMENT ON COLUMN runs.prompts IS 'Prompt pack used';
COMMENT ON COLUMN runs.prompts_sha256 IS 'SHA-256 of the prompt pack';
COMMENT ON COLUMN runs.tokenizer IS 'Tokenizer of the agent';
COMMENT ON COLUMN runs.tokenizer_sha256 IS 'SHA-256 of the tokenizer file';
COMMENT ON COLUMN runs.template_sha256 IS 'SHA-256 of the chat template; null where it is not known';
COMMENT ON COLUMN runs.base_budget IS 'C, the token budget of Flat';
COMMENT ON COLUMN runs.decoding IS 'Temperature, top_p, seed, token limits, window';
COMMENT ON COLUMN runs.code_version IS 'Version of treebench that ran it last';
COMMENT ON COLUMN runs.flow_run_id IS 'Prefect flow run that ran it last';
COMMENT ON COLUMN runs.sample IS 'True for built-in sample data, which supports no claims';
COMMENT ON COLUMN runs.recorded_at IS 'When it was last started (UTC)';

CREATE TABLE run_examples (
    run_id VARCHAR,
    example_id VARCHAR,
    PRIMARY KEY (run_id, example_id)
);
COMMENT ON TABLE run_examples IS 'The examples planned for a run: the denominator of every score';
COMMENT ON COLUMN run_examples.run_id IS 'The run';
COMMENT ON COLUMN run_examples.example_id IS 'The planned example';

CREATE TABLE model_calls (
    call_id VARCHAR PRIMARY KEY,
    request_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    example_id VARCHAR NOT NULL,
    role VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    prompt_sha256 VARCHAR NOT NULL,
    prompt_tokens INTEGER,
    server_prompt_tokens INTEGER,
    completion_tokens INTEGER,
    cached_tokens INTEGER,
    latency_s DOUBLE,
    finish_reason VARCHAR,
    outcome outcome NOT NULL,
    error VARCHAR,
    response VARCHAR USING COMPRESSION zstd,
    started_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE model_calls IS 'One request to a model and what came back';
COMMENT ON COLUMN model_calls.call_id IS 'Hash of request_id and attempt';
COMMENT ON COLUMN model_calls.request_id IS 'Hash of run, example, role, position and the whole request; a finished one is never sent again';
COMMENT ON COLUMN model_calls.run_id IS 'The run';
COMMENT ON COLUMN model_calls.example_id IS 'The example';
COMMENT ON COLUMN model_calls.role IS 'What the call is for: memory, answer, controller, ...';
COMMENT ON COLUMN model_calls.position IS 'Section that it belongs to, from 1; sections + 1 for the answer';
COMMENT ON COLUMN model_calls.attempt IS 'Try at this request, from 1';
COMMENT ON COLUMN model_calls.prompt_sha256 IS 'SHA-256 of the messages sent';
COMMENT ON COLUMN model_calls.prompt_tokens IS 'Prompt tokens as counted here, chat template included';
COMMENT ON COLUMN model_calls.server_prompt_tokens IS 'Prompt tokens as the server reports them';
COMMENT ON COLUMN model_calls.completion_tokens IS 'Generated tokens as the server reports them';
COMMENT ON COLUMN model_calls.cached_tokens IS 'Prompt tokens that the server took from its prefix cache';
COMMENT ON COLUMN model_calls.latency_s IS 'Seconds from request to response';
COMMENT ON COLUMN model_calls.finish_reason IS 'Finish reason as the server reports it';
COMMENT ON COLUMN model_calls.outcome IS 'How the call ended';
COMMENT ON COLUMN model_calls.error IS 'What went wrong, if anything';
COMMENT ON COLUMN model_calls.response IS 'Generated text, unchanged';
COMMENT ON COLUMN model_calls.started_at IS 'When it was sent (UTC)';

CREATE TABLE memories (
    run_id VARCHAR,
    example_id VARCHAR,
    position INTEGER,
    text VARCHAR USING COMPRESSION zstd,
    retrieved VARCHAR,
    PRIMARY KEY (run_id, example_id, position)
);
COMMENT ON TABLE memories IS 'The memory saved after a section';
COMMENT ON COLUMN memories.run_id IS 'The run';
COMMENT ON COLUMN memories.example_id IS 'The example';
COMMENT ON COLUMN memories.position IS 'Section after which it was saved, from 1';
COMMENT ON COLUMN memories.text IS 'The memory';
COMMENT ON COLUMN memories.retrieved IS 'Spans retrieved over residual links that the section was read with; null if none';

CREATE TABLE predictions (
    run_id VARCHAR,
    example_id VARCHAR,
    outcome outcome NOT NULL,
    raw_answer VARCHAR,
    model_calls INTEGER NOT NULL,
    error VARCHAR,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (run_id, example_id)
);
COMMENT ON TABLE predictions IS 'What an agent answered to an example, or how it failed';
COMMENT ON COLUMN predictions.run_id IS 'The run';
COMMENT ON COLUMN predictions.example_id IS 'The example';
COMMENT ON COLUMN predictions.outcome IS 'stop for a finished answer, otherwise what ended it';
COMMENT ON COLUMN predictions.raw_answer IS 'Text of the answer call, unchanged; null if there was none';
COMMENT ON COLUMN predictions.model_calls IS 'Model calls that the answer took';
COMMENT ON COLUMN predictions.error IS 'What went wrong, if anything';
COMMENT ON COLUMN predictions.recorded_at IS 'When it was recorded (UTC); a later row replaces an earlier one';

CREATE TABLE scores (
    run_id VARCHAR,
    example_id VARCHAR,
    scorer VARCHAR,
    scorer_version VARCHAR NOT NULL,
    extracted JSON,
    score DOUBLE NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (run_id, example_id, scorer)
);
COMMENT ON TABLE scores IS 'Score of a prediction under one scorer';
COMMENT ON COLUMN scores.run_id IS 'The run';
COMMENT ON COLUMN scores.example_id IS 'The example';
COMMENT ON COLUMN scores.scorer IS 'Name of the scorer';
COMMENT ON COLUMN scores.scorer_version IS 'Version of the scorer';
COMMENT ON COLUMN scores.extracted IS 'List of values taken from the raw answer; null if none could be';
COMMENT ON COLUMN scores.score IS 'Score from 0 to 1';
COMMENT ON COLUMN scores.recorded_at IS 'When it was scored (UTC); a later row replaces an earlier one';

CREATE TABLE stages (
    stage VARCHAR,
    input_hash VARCHAR,
    summary JSON NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (stage, input_hash)
);
COMMENT ON TABLE stages IS 'Work that is done: a stage with the same inputs is skipped';
COMMENT ON COLUMN stages.stage IS 'Name of the stage';
COMMENT ON COLUMN stages.input_hash IS 'Hash of everything that the result depends on';
COMMENT ON COLUMN stages.summary IS 'What the stage made, in numbers';
COMMENT ON COLUMN stages.recorded_at IS 'When it was finished (UTC)';
