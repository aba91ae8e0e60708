-- What was collected and what was built from it. All of it is immutable: rows are keyed by content.

CREATE TABLE sources (
    source VARCHAR PRIMARY KEY,
    dataset VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    home_url VARCHAR,
    terms_url VARCHAR,
    licence VARCHAR,
    notice VARCHAR,
    version VARCHAR,
    sample BOOLEAN NOT NULL
);
COMMENT ON TABLE sources IS 'A public source of structured data: who publishes it, under which terms';
COMMENT ON COLUMN sources.source IS 'Name of the source, such as usgs; sample sources end in -sample';
COMMENT ON COLUMN sources.dataset IS 'Dataset that it feeds: json, html, yaml or javascript';
COMMENT ON COLUMN sources.title IS 'What people call the source';
COMMENT ON COLUMN sources.home_url IS 'Page of the service';
COMMENT ON COLUMN sources.terms_url IS 'Page with its terms of use';
COMMENT ON COLUMN sources.licence IS 'Licence of the data';
COMMENT ON COLUMN sources.notice IS 'Attribution or notice that the source asks to show';
COMMENT ON COLUMN sources.version IS 'Version of the API or of the pinned archive';
COMMENT ON COLUMN sources.sample IS 'True for built-in sample data, which supports no claims';

CREATE TABLE responses (
    response_id VARCHAR PRIMARY KEY,
    source VARCHAR NOT NULL,
    url VARCHAR NOT NULL,
    parameters JSON,
    status INTEGER,
    retrieved_at TIMESTAMP,
    sha256 VARCHAR NOT NULL,
    bytes BIGINT NOT NULL,
    media_type VARCHAR,
    transport VARCHAR NOT NULL,
    location VARCHAR,
    sample BOOLEAN NOT NULL
);
COMMENT ON TABLE responses IS 'One retrieved response; its body lies in responses/ under its SHA-256';
COMMENT ON COLUMN responses.response_id IS 'Hash of source, transport, url, parameters and body';
COMMENT ON COLUMN responses.source IS 'Source that answered';
COMMENT ON COLUMN responses.url IS 'Address asked, without secrets';
COMMENT ON COLUMN responses.parameters IS 'Query or body parameters, without secrets';
COMMENT ON COLUMN responses.status IS 'HTTP status, or null where the transport has none';
COMMENT ON COLUMN responses.retrieved_at IS 'When the response was retrieved (UTC); null for sample data';
COMMENT ON COLUMN responses.sha256 IS 'SHA-256 of the body, and the name of its file in responses/';
COMMENT ON COLUMN responses.bytes IS 'Size of the body in bytes';
COMMENT ON COLUMN responses.media_type IS 'Content type as sent, or as the file suffix says';
COMMENT ON COLUMN responses.transport IS 'How it came: live, mirror or sample';
COMMENT ON COLUMN responses.location IS 'File in the mirror, or name of the sample response';
COMMENT ON COLUMN responses.sample IS 'True for built-in sample data, which supports no claims';

CREATE TABLE payloads (
    payload_id VARCHAR PRIMARY KEY,
    source VARCHAR NOT NULL,
    dataset VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    response_id VARCHAR NOT NULL,
    location JSON,
    records INTEGER NOT NULL,
    characters BIGINT NOT NULL,
    licence VARCHAR,
    sample BOOLEAN NOT NULL,
    text VARCHAR USING COMPRESSION zstd
);
COMMENT ON TABLE payloads IS 'One native unit of text that contexts are made of; never re-serialised';
COMMENT ON COLUMN payloads.payload_id IS 'Hash of format and text';
COMMENT ON COLUMN payloads.source IS 'Source of the response it was cut from';
COMMENT ON COLUMN payloads.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN payloads.format IS 'Format of the text: json, html, yaml or javascript';
COMMENT ON COLUMN payloads.response_id IS 'Response that it was cut from';
COMMENT ON COLUMN payloads.location IS 'Character ranges of the response that it consists of, in order';
COMMENT ON COLUMN payloads.records IS 'Number of records inside';
COMMENT ON COLUMN payloads.characters IS 'Length of the text in code points';
COMMENT ON COLUMN payloads.licence IS 'Licence of the text';
COMMENT ON COLUMN payloads.sample IS 'True for built-in sample data, which supports no claims';
COMMENT ON COLUMN payloads.text IS 'The text, as it stands in the response';

CREATE TABLE records (
    record_id VARCHAR PRIMARY KEY,
    payload_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    span_start BIGINT NOT NULL,
    span_end BIGINT NOT NULL,
    fields JSON NOT NULL,
    sample BOOLEAN NOT NULL
);
COMMENT ON TABLE records IS 'One entity in a payload, with the fields that questions may ask about';
COMMENT ON COLUMN records.record_id IS 'Hash of payload, kind and path';
COMMENT ON COLUMN records.payload_id IS 'Payload that holds it';
COMMENT ON COLUMN records.kind IS 'Record kind, a file in datasets/<format>/';
COMMENT ON COLUMN records.label IS 'Visible description that tells it from the others';
COMMENT ON COLUMN records.path IS 'Structural path inside the payload';
COMMENT ON COLUMN records.span_start IS 'First character of the record in the payload, from 0';
COMMENT ON COLUMN records.span_end IS 'Character behind the last one of the record in the payload';
COMMENT ON COLUMN records.fields IS 'Field name to value, as typed by the record kind; absent fields are left out';
COMMENT ON COLUMN records.sample IS 'True for built-in sample data, which supports no claims';

CREATE TABLE questions (
    question_id VARCHAR PRIMARY KEY,
    dataset VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    reference JSON NOT NULL,
    answer JSON NOT NULL,
    answer_type VARCHAR NOT NULL,
    ordered BOOLEAN NOT NULL,
    template VARCHAR NOT NULL,
    sample BOOLEAN NOT NULL
);
COMMENT ON TABLE questions IS 'A question with its reference specification and answer';
COMMENT ON COLUMN questions.question_id IS 'Hash of text, reference and answer';
COMMENT ON COLUMN questions.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN questions.task IS 'One of the eight tasks: fields_1, fields_2, fields_4, records_2, records_4, count, frequent, extremum';
COMMENT ON COLUMN questions.kind IS 'Record kind that it asks about';
COMMENT ON COLUMN questions.text IS 'The question as the agent reads it';
COMMENT ON COLUMN questions.reference IS 'Typed reference specification whose execution over the context gives the answer';
COMMENT ON COLUMN questions.answer IS 'List of the expected values, as text';
COMMENT ON COLUMN questions.answer_type IS 'text or number: how a value is compared';
COMMENT ON COLUMN questions.ordered IS 'True where the question demands an order';
COMMENT ON COLUMN questions.template IS 'Wording template that produced the text';
COMMENT ON COLUMN questions.sample IS 'True for built-in sample data, which supports no claims';

CREATE TABLE examples (
    example_id VARCHAR PRIMARY KEY,
    dataset VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    length INTEGER NOT NULL,
    split VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    question_id VARCHAR NOT NULL,
    context_sha256 VARCHAR NOT NULL,
    characters BIGINT NOT NULL,
    supporting JSON NOT NULL,
    sample BOOLEAN NOT NULL
);
COMMENT ON TABLE examples IS 'A question over one context of a wanted length';
COMMENT ON COLUMN examples.example_id IS 'Hash of dataset, task, length, split, number, question and context';
COMMENT ON COLUMN examples.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN examples.task IS 'One of the eight tasks';
COMMENT ON COLUMN examples.length IS 'Wanted length of the context in tokens of the construction tokenizer';
COMMENT ON COLUMN examples.split IS 'test, train or development';
COMMENT ON COLUMN examples.number IS 'Number within its cell (dataset, task, length, split), from 0';
COMMENT ON COLUMN examples.question_id IS 'The question';
COMMENT ON COLUMN examples.context_sha256 IS 'SHA-256 of the rendered context in UTF-8';
COMMENT ON COLUMN examples.characters IS 'Length of the rendered context in code points';
COMMENT ON COLUMN examples.supporting IS 'Positions (from 0) of the payloads that hold the asked-about records';
COMMENT ON COLUMN examples.sample IS 'True for built-in sample data, which supports no claims';

CREATE TABLE example_payloads (
    example_id VARCHAR,
    position INTEGER,
    payload_id VARCHAR NOT NULL,
    PRIMARY KEY (example_id, position)
);
COMMENT ON TABLE example_payloads IS 'Which payload stands where in which context; contexts are rendered from these';
COMMENT ON COLUMN example_payloads.example_id IS 'The example';
COMMENT ON COLUMN example_payloads.position IS 'Place in the context, from 0';
COMMENT ON COLUMN example_payloads.payload_id IS 'The payload at that place';

CREATE TABLE context_tokens (
    example_id VARCHAR,
    tokenizer VARCHAR,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (example_id, tokenizer)
);
COMMENT ON TABLE context_tokens IS 'Exact token count of a context under one tokenizer';
COMMENT ON COLUMN context_tokens.example_id IS 'The example';
COMMENT ON COLUMN context_tokens.tokenizer IS 'Name of the tokenizer';
COMMENT ON COLUMN context_tokens.tokens IS 'Tokens of the rendered context, without special tokens';

CREATE TABLE builds (
    build_id VARCHAR PRIMARY KEY,
    dataset VARCHAR NOT NULL,
    parameters JSON NOT NULL,
    payloads_sha256 VARCHAR NOT NULL,
    payloads INTEGER NOT NULL,
    construction_tokenizer VARCHAR NOT NULL,
    sample BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE builds IS 'One dataset version: a set of examples built from a set of payloads';
COMMENT ON COLUMN builds.build_id IS 'Hash of dataset, parameters, payload set and construction tokenizer';
COMMENT ON COLUMN builds.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN builds.parameters IS 'Tasks, lengths, examples a cell, seed, sources';
COMMENT ON COLUMN builds.payloads_sha256 IS 'SHA-256 over the sorted payload ids';
COMMENT ON COLUMN builds.payloads IS 'Number of payloads that could be drawn from';
COMMENT ON COLUMN builds.construction_tokenizer IS 'Tokenizer that lengths are measured with';
COMMENT ON COLUMN builds.sample IS 'True for built-in sample data, which supports no claims';
COMMENT ON COLUMN builds.created_at IS 'When it was first built (UTC)';

CREATE TABLE build_examples (
    build_id VARCHAR,
    example_id VARCHAR,
    PRIMARY KEY (build_id, example_id)
);
COMMENT ON TABLE build_examples IS 'Which examples a dataset version consists of';
COMMENT ON COLUMN build_examples.build_id IS 'The dataset version';
COMMENT ON COLUMN build_examples.example_id IS 'The example';

CREATE TABLE validations (
    build_id VARCHAR,
    suite VARCHAR,
    subject VARCHAR,
    check_name VARCHAR,
    passed BOOLEAN NOT NULL,
    observed VARCHAR,
    failing JSON,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (build_id, suite, subject, check_name)
);
COMMENT ON TABLE validations IS 'What was checked of a dataset version and what was found';
COMMENT ON COLUMN validations.build_id IS 'The dataset version';
COMMENT ON COLUMN validations.suite IS 'independent (second opinion on each example) or expectations (Great Expectations over tables)';
COMMENT ON COLUMN validations.subject IS 'Example id or table name that was checked';
COMMENT ON COLUMN validations.check_name IS 'The check or expectation';
COMMENT ON COLUMN validations.passed IS 'Whether it held';
COMMENT ON COLUMN validations.observed IS 'What was observed, in words';
COMMENT ON COLUMN validations.failing IS 'Ids of offending rows (at most 20)';
COMMENT ON COLUMN validations.recorded_at IS 'When it was checked (UTC)';

CREATE TABLE rejections (
    rejection_id VARCHAR PRIMARY KEY,
    stage VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    detail VARCHAR,
    recorded_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE rejections IS 'What was thrown away while collecting, building or validating, and why';
COMMENT ON COLUMN rejections.rejection_id IS 'Hash of stage, subject and reason';
COMMENT ON COLUMN rejections.stage IS 'Stage that rejected it';
COMMENT ON COLUMN rejections.subject IS 'Id of the response, payload, record or example, or its would-be cell';
COMMENT ON COLUMN rejections.reason IS 'Short reason, the same words for the same cause';
COMMENT ON COLUMN rejections.detail IS 'What was found';
COMMENT ON COLUMN rejections.recorded_at IS 'When (UTC)';
