-- m0013_proposals_and_reports
-- comment_withheld Once
CREATE TABLE IF NOT EXISTS "comment_withheld" ( "comment_id" integer NOT NULL, "kind" tinyint NOT NULL, "number" integer NOT NULL, "part" smallint NOT NULL, "text" mediumtext NOT NULL, "mentions" text NOT NULL, "metadata" text NOT NULL, "extra" varbinary_blob(2048) NULL, "once_public" tinyint NOT NULL, "state" tinyint NOT NULL, "key_id" integer NOT NULL, "time" integer NOT NULL, PRIMARY KEY ("comment_id", "kind", "number") );
-- comment_report Once
CREATE TABLE IF NOT EXISTS "comment_report" ( "comment_id" integer NOT NULL, "member_id" varbinary_blob(64) NOT NULL, "part" smallint NOT NULL, "object_type" varbinary_blob(32) NOT NULL, "reason" tinyint NOT NULL, "text" text NOT NULL, "claims_illegal" tinyint NOT NULL, "legal_reference" varbinary_blob(256) NOT NULL, "version" integer NOT NULL, "weight" integer NOT NULL, "counted" tinyint NOT NULL, "request_key" blob(16) NOT NULL, "request_print" integer NOT NULL, "first" integer NOT NULL, "key_id" integer NOT NULL, "time" integer NOT NULL, PRIMARY KEY ("comment_id", "member_id") );
CREATE INDEX IF NOT EXISTS "comment_report_member" ON "comment_report" ("object_type", "member_id", "time", "comment_id");
-- process Once
CREATE TABLE IF NOT EXISTS "process" ( "owner" varbinary_blob(16) NOT NULL, "step" integer NOT NULL, "until" integer NOT NULL, PRIMARY KEY ("owner") );
-- switch Once
CREATE TABLE IF NOT EXISTS "switch" ( "name" varbinary_blob(32) NOT NULL, "value" integer NOT NULL, "changed" integer NOT NULL, PRIMARY KEY ("name") );
