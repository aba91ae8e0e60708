-- Which journal files the database holds: written by the ingest step only, in the transaction that loads their rows.

CREATE TABLE journal_files (
    file VARCHAR PRIMARY KEY,
    table_name VARCHAR NOT NULL,
    rows BIGINT NOT NULL,
    ingested_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE journal_files IS 'Journal files whose rows are in this database: each is loaded once';
COMMENT ON COLUMN journal_files.file IS 'Name of the file in the journal location: table, slash, file name';
COMMENT ON COLUMN journal_files.table_name IS 'Table that its rows went to';
COMMENT ON COLUMN journal_files.rows IS 'Rows in the file, repeated ones included';
COMMENT ON COLUMN journal_files.ingested_at IS 'When it was loaded (UTC)';
