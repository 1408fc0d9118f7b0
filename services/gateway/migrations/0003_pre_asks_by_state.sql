-- How the open and the failed asks of an app are found among all the others that it has.

CREATE INDEX ask_open_of ON asks.ask (app, place DESC) WHERE final IS NULL;
CREATE INDEX ask_failed_of ON asks.ask (app, place DESC) WHERE state = 'failed';
