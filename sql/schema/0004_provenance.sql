-- Where everything that was collected comes from and under which terms, in the row itself; what was masked; where else
-- the same payload stands.

ALTER TABLE responses ADD COLUMN method VARCHAR;
ALTER TABLE responses ADD COLUMN archive_sha256 VARCHAR;
ALTER TABLE responses ADD COLUMN encoding VARCHAR;
ALTER TABLE responses ADD COLUMN licence VARCHAR;
ALTER TABLE responses ADD COLUMN terms_url VARCHAR;
ALTER TABLE responses ADD COLUMN notice VARCHAR;
ALTER TABLE responses ADD COLUMN source_version VARCHAR;
COMMENT ON COLUMN responses.method IS 'HTTP method of the request: GET or POST';
COMMENT ON COLUMN responses.archive_sha256 IS 'SHA-256 of the archive or list that the body is an entry of; null for others';
COMMENT ON COLUMN responses.encoding IS 'Character encoding that the body was read in, by its Python name';
COMMENT ON COLUMN responses.licence IS 'Licence of this response, where it differs the one of its own, else of its source';
COMMENT ON COLUMN responses.terms_url IS 'Page with the terms of use of its source';
COMMENT ON COLUMN responses.notice IS 'Attribution or notice that its source asks to show';
COMMENT ON COLUMN responses.source_version IS 'Version of the API, or commit of the archive, that it was read from';

ALTER TABLE payloads ADD COLUMN url VARCHAR;
ALTER TABLE payloads ADD COLUMN parameters JSON;
ALTER TABLE payloads ADD COLUMN status INTEGER;
ALTER TABLE payloads ADD COLUMN retrieved_at TIMESTAMP;
ALTER TABLE payloads ADD COLUMN body_sha256 VARCHAR;
ALTER TABLE payloads ADD COLUMN text_sha256 VARCHAR;
ALTER TABLE payloads ADD COLUMN terms_url VARCHAR;
ALTER TABLE payloads ADD COLUMN notice VARCHAR;
ALTER TABLE payloads ADD COLUMN source_version VARCHAR;
ALTER TABLE payloads ADD COLUMN masks JSON;
ALTER TABLE payloads ADD COLUMN written JSON;
COMMENT ON COLUMN payloads.url IS 'Address of the response that it was first cut from';
COMMENT ON COLUMN payloads.parameters IS 'Query or body parameters of that request, without secrets';
COMMENT ON COLUMN payloads.status IS 'HTTP status of that response, or null where the transport has none';
COMMENT ON COLUMN payloads.retrieved_at IS 'When that response was retrieved (UTC); null where nobody recorded it';
COMMENT ON COLUMN payloads.body_sha256 IS 'SHA-256 of the body of that response';
COMMENT ON COLUMN payloads.text_sha256 IS 'SHA-256 of the text in UTF-8';
COMMENT ON COLUMN payloads.terms_url IS 'Page with the terms of use of its source';
COMMENT ON COLUMN payloads.notice IS 'Attribution or notice that its source asks to show';
COMMENT ON COLUMN payloads.source_version IS 'Version of the API, or commit of the archive, that it was read from';
COMMENT ON COLUMN payloads.masks IS 'Personal data that was masked: list of rule, start in the text, characters replaced, replacement';
COMMENT ON COLUMN payloads.written IS 'What was written around the source text: before and behind; null where the text is the source alone';

CREATE TABLE payload_origins (
    payload_id VARCHAR,
    response_id VARCHAR,
    location JSON NOT NULL,
    sample BOOLEAN NOT NULL,
    PRIMARY KEY (payload_id, response_id)
);
COMMENT ON TABLE payload_origins IS 'Every response that holds a payload: the same text is kept once, wherever it stands';
COMMENT ON COLUMN payload_origins.payload_id IS 'The payload';
COMMENT ON COLUMN payload_origins.response_id IS 'A response that holds it';
COMMENT ON COLUMN payload_origins.location IS 'Character ranges of the response that it consists of, in order';
COMMENT ON COLUMN payload_origins.sample IS 'True for built-in sample data, which supports no claims';
