-- An example that is tried again may save other memories than before: the later one is kept.
ALTER TABLE memories ADD COLUMN recorded_at TIMESTAMP;
COMMENT ON COLUMN memories.recorded_at IS 'When it was saved (UTC); a later row replaces an earlier one';
