CREATE OR REPLACE VIEW build_overview AS
SELECT
    builds.build_id,
    builds.dataset,
    builds.construction_tokenizer,
    builds.payloads,
    count(examples.example_id) AS examples,
    count(DISTINCT examples.task) AS tasks,
    count(DISTINCT examples.length) AS lengths,
    min(examples.length) AS shortest,
    max(examples.length) AS longest,
    count(DISTINCT examples.context_sha256) AS contexts,
    builds.sample,
    builds.created_at
FROM builds
LEFT JOIN build_examples USING (build_id)
LEFT JOIN examples USING (example_id)
GROUP BY ALL;

COMMENT ON VIEW build_overview IS 'The size of each dataset version';
COMMENT ON COLUMN build_overview.build_id IS 'The dataset version';
COMMENT ON COLUMN build_overview.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN build_overview.construction_tokenizer IS 'Tokenizer that lengths are measured with';
COMMENT ON COLUMN build_overview.payloads IS 'Payloads that could be drawn from';
COMMENT ON COLUMN build_overview.examples IS 'Examples in it';
COMMENT ON COLUMN build_overview.tasks IS 'Tasks among them';
COMMENT ON COLUMN build_overview.lengths IS 'Lengths among them';
COMMENT ON COLUMN build_overview.shortest IS 'Shortest wanted length in tokens';
COMMENT ON COLUMN build_overview.longest IS 'Longest wanted length in tokens';
COMMENT ON COLUMN build_overview.contexts IS 'Different contexts among the examples';
COMMENT ON COLUMN build_overview.sample IS 'True for built-in sample data, which supports no claims';
COMMENT ON COLUMN build_overview.created_at IS 'When it was first built (UTC)';

CREATE OR REPLACE VIEW source_overview AS
WITH retrieved AS (
    SELECT
        source,
        count(*) AS responses,
        sum(bytes)::BIGINT AS bytes,
        string_agg(DISTINCT transport, ', ' ORDER BY transport) AS transports,
        min(retrieved_at) AS first_retrieved_at,
        max(retrieved_at) AS last_retrieved_at
    FROM responses
    GROUP BY source
),
cut AS (
    SELECT
        source,
        count(*) AS payloads,
        sum(records)::BIGINT AS records,
        string_agg(DISTINCT licence, ', ' ORDER BY licence) AS licences
    FROM payloads
    GROUP BY source
)
SELECT
    sources.source,
    sources.dataset,
    sources.title,
    coalesce(retrieved.responses, 0) AS responses,
    coalesce(retrieved.bytes, 0) AS bytes,
    retrieved.transports,
    coalesce(cut.payloads, 0) AS payloads,
    coalesce(cut.records, 0) AS records,
    coalesce(sources.licence, cut.licences) AS licence,
    sources.notice,
    sources.home_url,
    sources.terms_url,
    sources.version,
    retrieved.first_retrieved_at,
    retrieved.last_retrieved_at,
    sources.sample
FROM sources
LEFT JOIN retrieved USING (source)
LEFT JOIN cut USING (source);

COMMENT ON VIEW source_overview IS 'What was collected from each source, and under which terms';
COMMENT ON COLUMN source_overview.source IS 'Name of the source';
COMMENT ON COLUMN source_overview.dataset IS 'Dataset that it feeds';
COMMENT ON COLUMN source_overview.title IS 'What people call the source';
COMMENT ON COLUMN source_overview.responses IS 'Responses retrieved';
COMMENT ON COLUMN source_overview.bytes IS 'Their size in bytes';
COMMENT ON COLUMN source_overview.transports IS 'How they came: live, mirror or sample';
COMMENT ON COLUMN source_overview.payloads IS 'Payloads cut from them';
COMMENT ON COLUMN source_overview.records IS 'Records in the payloads';
COMMENT ON COLUMN source_overview.licence IS 'Licence of the source; where it has none, those of its payloads';
COMMENT ON COLUMN source_overview.notice IS 'Attribution or notice that the source asks to show';
COMMENT ON COLUMN source_overview.home_url IS 'Page of the service';
COMMENT ON COLUMN source_overview.terms_url IS 'Page with its terms of use';
COMMENT ON COLUMN source_overview.version IS 'Version of the API or of the pinned archive';
COMMENT ON COLUMN source_overview.first_retrieved_at IS 'When the first response was retrieved (UTC); null for sample data';
COMMENT ON COLUMN source_overview.last_retrieved_at IS 'When the last response was retrieved (UTC); null for sample data';
COMMENT ON COLUMN source_overview.sample IS 'True for built-in sample data, which supports no claims';

CREATE OR REPLACE VIEW validation_overview AS
SELECT
    validations.build_id,
    builds.dataset,
    validations.suite,
    validations.check_name,
    count(*) AS checked,
    count(*) FILTER (validations.passed) AS passed,
    count(*) FILTER (NOT validations.passed) AS failed,
    min(validations.subject) FILTER (NOT validations.passed) AS first_failed,
    max(validations.recorded_at) AS recorded_at,
    builds.sample
FROM validations
LEFT JOIN builds USING (build_id)
GROUP BY ALL;

COMMENT ON VIEW validation_overview IS 'How often each check of a dataset version held';
COMMENT ON COLUMN validation_overview.build_id IS 'The dataset version';
COMMENT ON COLUMN validation_overview.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN validation_overview.suite IS 'independent (second opinion on each example) or expectations (Great Expectations over tables)';
COMMENT ON COLUMN validation_overview.check_name IS 'The check or expectation';
COMMENT ON COLUMN validation_overview.checked IS 'Subjects checked: examples or tables';
COMMENT ON COLUMN validation_overview.passed IS 'Subjects for which it held';
COMMENT ON COLUMN validation_overview.failed IS 'Subjects for which it did not';
COMMENT ON COLUMN validation_overview.first_failed IS 'First subject for which it did not hold, by name';
COMMENT ON COLUMN validation_overview.recorded_at IS 'When it was last checked (UTC)';
COMMENT ON COLUMN validation_overview.sample IS 'True for built-in sample data, which supports no claims';

CREATE OR REPLACE VIEW rejection_overview AS
SELECT
    rejections.stage,
    rejections.reason,
    count(*) AS rejected,
    arg_min(rejections.subject, (rejections.recorded_at, rejections.subject)) AS first_subject,
    arg_min(rejections.detail, (rejections.recorded_at, rejections.subject)) AS first_detail,
    coalesce(responses.sample, payloads.sample, records.sample, examples.sample, everything.sample) AS sample
FROM rejections
LEFT JOIN responses ON responses.response_id = rejections.subject
LEFT JOIN payloads ON payloads.payload_id = rejections.subject
LEFT JOIN records ON records.record_id = rejections.subject
LEFT JOIN examples ON examples.example_id = rejections.subject
CROSS JOIN (
    SELECT CASE WHEN bool_and(sample) THEN TRUE WHEN bool_and(NOT sample) THEN FALSE END AS sample FROM sources
) AS everything
GROUP BY ALL;

COMMENT ON VIEW rejection_overview IS 'What was thrown away, by stage and reason';
COMMENT ON COLUMN rejection_overview.stage IS 'Stage that rejected it';
COMMENT ON COLUMN rejection_overview.reason IS 'Short reason';
COMMENT ON COLUMN rejection_overview.rejected IS 'Things rejected';
COMMENT ON COLUMN rejection_overview.first_subject IS 'Id of the first of them';
COMMENT ON COLUMN rejection_overview.first_detail IS 'What was found there';
COMMENT ON COLUMN rejection_overview.sample IS 'True for built-in sample data; null where the subject was not kept and there are sources of both kinds';

CREATE OR REPLACE VIEW stage_log AS
SELECT
    row_number() OVER (ORDER BY recorded_at, stage, input_hash) AS entry,
    stage,
    left(input_hash, 12) AS inputs,
    summary,
    recorded_at
FROM stages;

COMMENT ON VIEW stage_log IS 'The stages that were finished, in order of time';
COMMENT ON COLUMN stage_log.entry IS 'Number of the entry, from 1';
COMMENT ON COLUMN stage_log.stage IS 'Name of the stage';
COMMENT ON COLUMN stage_log.inputs IS 'First digits of the hash of everything that the result depends on';
COMMENT ON COLUMN stage_log.summary IS 'What the stage made, in numbers';
COMMENT ON COLUMN stage_log.recorded_at IS 'When it was finished (UTC)';
