-- A server that is started for a run has another port each time: it goes by what it is and where it runs.
COMMENT ON COLUMN runs.endpoint IS 'Server at the last start: its address or, if it was started for the run, what it is and on which machine';
