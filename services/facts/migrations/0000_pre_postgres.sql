-- RETURNING old and new, in which a load learns what it changed, came with Postgres 18. Better refused here than at the
-- first load. (An error of class 42 is shown with its text.)

DO $$
BEGIN
    IF current_setting('server_version_num')::int < 180000 THEN
        RAISE EXCEPTION 'Postgres 18 or newer is needed, this is %', current_setting('server_version')
            USING ERRCODE = 'undefined_function';
    END IF;
END
$$;
