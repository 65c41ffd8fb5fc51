-- m0015_member_standing
-- member_standing Once
CREATE TABLE IF NOT EXISTS "member_standing" ( "object_type" varbinary_blob(32) NOT NULL, "member_id" varbinary_blob(64) NOT NULL, "part" smallint NOT NULL, "standing" tinyint NOT NULL, "until" integer NULL, "report_weight" integer NULL, "code" varbinary_blob(64) NOT NULL, "explanation" text NOT NULL, "legal_reference" varbinary_blob(256) NOT NULL, "note" text NOT NULL, "detection" tinyint NOT NULL, "automation" tinyint NOT NULL, "actor" varbinary_blob(64) NOT NULL, "key_id" integer NOT NULL, "number" integer NOT NULL, "changed" integer NOT NULL, PRIMARY KEY ("object_type", "member_id") );
CREATE INDEX IF NOT EXISTS "member_standing_changed" ON "member_standing" ("changed", "object_type", "member_id");
