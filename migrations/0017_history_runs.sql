-- compatible with the program before

-- The latest entries of the history that one caller has left by updates, as the next update has to know them: looking for them
-- in the trail costs that update more than all else.
alter table scheduled_posts add column history_run json;
