-- m0001_schema
-- riposte_schema Once
CREATE TABLE IF NOT EXISTS "riposte_schema" ( "step" varbinary_blob(64) NOT NULL, "subject_tables" smallint NOT NULL, "index_tables" smallint NOT NULL, "source" smallint NOT NULL, "sources" smallint NOT NULL, "first_table" smallint NOT NULL, "last_table" smallint NOT NULL, "applied_at" integer NOT NULL, PRIMARY KEY ("step") );
-- m0002_worker_leases
-- worker_lease Once
CREATE TABLE IF NOT EXISTS "worker_lease" ( "worker" smallint NOT NULL, "owner" varbinary_blob(16) NOT NULL, "minted_until" integer NOT NULL, "leased_until" integer NOT NULL, PRIMARY KEY ("worker") );
INSERT INTO "worker_lease" ("worker", "owner", "minted_until", "leased_until") VALUES (0, x'', 0, 0), (1, x'', 0, 0), (2, x'', 0, 0), (3, x'', 0, 0), (4, x'', 0, 0), (5, x'', 0, 0), (6, x'', 0, 0), (7, x'', 0, 0), (8, x'', 0, 0), (9, x'', 0, 0), (10, x'', 0, 0), (11, x'', 0, 0), (12, x'', 0, 0), (13, x'', 0, 0), (14, x'', 0, 0), (15, x'', 0, 0), (16, x'', 0, 0), (17, x'', 0, 0), (18, x'', 0, 0), (19, x'', 0, 0), (20, x'', 0, 0), (21, x'', 0, 0), (22, x'', 0, 0), (23, x'', 0, 0), (24, x'', 0, 0), (25, x'', 0, 0), (26, x'', 0, 0), (27, x'', 0, 0), (28, x'', 0, 0), (29, x'', 0, 0), (30, x'', 0, 0), (31, x'', 0, 0), (32, x'', 0, 0), (33, x'', 0, 0), (34, x'', 0, 0), (35, x'', 0, 0), (36, x'', 0, 0), (37, x'', 0, 0), (38, x'', 0, 0), (39, x'', 0, 0), (40, x'', 0, 0), (41, x'', 0, 0), (42, x'', 0, 0), (43, x'', 0, 0), (44, x'', 0, 0), (45, x'', 0, 0), (46, x'', 0, 0), (47, x'', 0, 0), (48, x'', 0, 0), (49, x'', 0, 0), (50, x'', 0, 0), (51, x'', 0, 0), (52, x'', 0, 0), (53, x'', 0, 0), (54, x'', 0, 0), (55, x'', 0, 0), (56, x'', 0, 0), (57, x'', 0, 0), (58, x'', 0, 0), (59, x'', 0, 0), (60, x'', 0, 0), (61, x'', 0, 0), (62, x'', 0, 0), (63, x'', 0, 0) ON CONFLICT ("worker") DO NOTHING;
-- m0003_subjects
-- comment_subject_@ Subjects
CREATE TABLE IF NOT EXISTS "comment_subject_@" ( "id" integer NOT NULL, "part" smallint NOT NULL, "object_type" varbinary_blob(32) NOT NULL, "object_id" varbinary_blob(64) NOT NULL, "owner_id" varbinary_blob(64) NULL, "state" tinyint NOT NULL, "next_floor" integer NOT NULL, "root_count" integer NOT NULL, "comment_count" integer NOT NULL, "revision" integer NOT NULL, "version" integer NOT NULL, "pins" varbinary_blob(24) NOT NULL, "metadata" text NOT NULL, "create_time" integer NOT NULL, "update_time" integer NOT NULL, "delete_time" integer NULL, PRIMARY KEY ("id") );
CREATE UNIQUE INDEX IF NOT EXISTS "comment_subject_@_key" ON "comment_subject_@" ("object_type", "object_id");
-- m0004_comments
-- comment_index_@ Index
CREATE TABLE IF NOT EXISTS "comment_index_@" ( "id" integer NOT NULL, "part" smallint NOT NULL, "subject_id" integer NOT NULL, "root_id" integer NOT NULL, "parent_id" integer NOT NULL, "depth" tinyint NOT NULL, "path" varbinary_blob(256) NOT NULL, "floor" integer NOT NULL, "next_floor" integer NOT NULL, "member_id" varbinary_blob(64) NOT NULL, "state" tinyint NOT NULL, "prior_state" tinyint NOT NULL, "deleted_by" tinyint NOT NULL, "like_count" integer NOT NULL, "dislike_count" integer NOT NULL, "reply_count" integer NOT NULL, "live_below" integer NOT NULL, "listed" tinyint NOT NULL, "revision" integer NOT NULL, "version" integer NOT NULL, "born_revision" integer NOT NULL, "request_key" blob(16) NOT NULL, "request_print" integer NOT NULL, "create_time" integer NOT NULL, "update_time" integer NOT NULL, "edit_time" integer NULL, "delete_time" integer NULL, PRIMARY KEY ("id") );
CREATE UNIQUE INDEX IF NOT EXISTS "comment_index_@_floor" ON "comment_index_@" ("subject_id", "root_id", "floor");
CREATE INDEX IF NOT EXISTS "comment_index_@_listed" ON "comment_index_@" ("subject_id", "root_id", "listed", "floor");
CREATE UNIQUE INDEX IF NOT EXISTS "comment_index_@_path" ON "comment_index_@" ("path");
CREATE UNIQUE INDEX IF NOT EXISTS "comment_index_@_request" ON "comment_index_@" ("subject_id", "request_key");
-- comment_content_@ Index
CREATE TABLE IF NOT EXISTS "comment_content_@" ( "comment_id" integer NOT NULL, "part" smallint NOT NULL, "text" mediumtext NOT NULL, "mentions" text NOT NULL, "metadata" text NOT NULL, PRIMARY KEY ("comment_id") );
-- comment_edit_@ Index
CREATE TABLE IF NOT EXISTS "comment_edit_@" ( "comment_id" integer NOT NULL, "version" integer NOT NULL, "part" smallint NOT NULL, "text" mediumtext NOT NULL, "mentions" text NOT NULL, "metadata" text NOT NULL, "time" integer NOT NULL, PRIMARY KEY ("comment_id", "version") );
-- comment_client_@ Index
CREATE TABLE IF NOT EXISTS "comment_client_@" ( "comment_id" integer NOT NULL, "part" smallint NOT NULL, "ip" varbinary_blob(16) NULL, "platform" varbinary_blob(32) NOT NULL, "device" varbinary_blob(128) NOT NULL, "create_time" integer NOT NULL, PRIMARY KEY ("comment_id") );
CREATE INDEX IF NOT EXISTS "comment_client_@_age" ON "comment_client_@" ("create_time");
-- comment_origin_@ Index
CREATE TABLE IF NOT EXISTS "comment_origin_@" ( "comment_id" integer NOT NULL, "part" smallint NOT NULL, "source" varbinary_blob(64) NOT NULL, "external_id" varbinary_blob(128) NOT NULL, PRIMARY KEY ("comment_id") );
-- m0005_likes
-- comment_like_@ Index
CREATE TABLE IF NOT EXISTS "comment_like_@" ( "subject_id" integer NOT NULL, "member_id" varbinary_blob(64) NOT NULL, "comment_id" integer NOT NULL, "part" smallint NOT NULL, "value" tinyint NOT NULL, "operation" blob(16) NOT NULL, "changed" tinyint NOT NULL, "time" integer NOT NULL, PRIMARY KEY ("subject_id", "member_id", "comment_id") );
CREATE INDEX IF NOT EXISTS "comment_like_@_likers" ON "comment_like_@" ("comment_id", "value", "time", "member_id");
-- m0006_requests
-- comment_request_@ Index
CREATE TABLE IF NOT EXISTS "comment_request_@" ( "subject_id" integer NOT NULL, "request_key" blob(16) NOT NULL, "part" smallint NOT NULL, "verb" tinyint NOT NULL, "print" integer NOT NULL, "comment_id" integer NOT NULL, "revision" integer NOT NULL, PRIMARY KEY ("subject_id", "request_key") );
-- m0007_projections
-- comment_rank_@ Index
CREATE TABLE IF NOT EXISTS "comment_rank_@" ( "subject_id" integer NOT NULL, "sort" tinyint NOT NULL, "score" double NOT NULL, "floor" integer NOT NULL, "part" smallint NOT NULL, "comment_id" integer NOT NULL, PRIMARY KEY ("subject_id", "sort", "score", "floor") );
CREATE INDEX IF NOT EXISTS "comment_rank_@_comment" ON "comment_rank_@" ("comment_id", "sort");
-- comment_epoch_@ Index
CREATE TABLE IF NOT EXISTS "comment_epoch_@" ( "subject_id" integer NOT NULL, "sort" tinyint NOT NULL, "epoch" integer NOT NULL, "part" smallint NOT NULL, "floors" mediumblob NOT NULL, "create_time" integer NOT NULL, PRIMARY KEY ("subject_id", "sort", "epoch") );
CREATE INDEX IF NOT EXISTS "comment_epoch_@_age" ON "comment_epoch_@" ("create_time");
-- comment_outbox Once
CREATE TABLE IF NOT EXISTS "comment_outbox" ( "id" integer NOT NULL, "part" smallint NOT NULL, "subject_id" integer NOT NULL, "revision" integer NOT NULL, "changes" mediumblob NOT NULL, "pub_seq" integer NULL, "create_time" integer NOT NULL, PRIMARY KEY ("id") );
CREATE UNIQUE INDEX IF NOT EXISTS "comment_outbox_published" ON "comment_outbox" ("pub_seq");
CREATE INDEX IF NOT EXISTS "comment_outbox_subject" ON "comment_outbox" ("subject_id", "revision");
-- relay_state Once
CREATE TABLE IF NOT EXISTS "relay_state" ( "name" varbinary_blob(64) NOT NULL, "owner" varbinary_blob(16) NOT NULL, "epoch" integer NOT NULL, "position" integer NOT NULL, "leased_until" integer NOT NULL, PRIMARY KEY ("name") );
-- member_comment_@ Index
CREATE TABLE IF NOT EXISTS "member_comment_@" ( "object_type" varbinary_blob(32) NOT NULL, "member_id" varbinary_blob(64) NOT NULL, "create_time" integer NOT NULL, "comment_id" integer NOT NULL, "part" smallint NOT NULL, "subject_id" integer NOT NULL, "state" tinyint NOT NULL, "version" integer NOT NULL, PRIMARY KEY ("object_type", "member_id", "create_time", "comment_id") );
-- m0008_ranked_lists
-- comment_ranked_@ Index
CREATE TABLE IF NOT EXISTS "comment_ranked_@" ( "list_id" integer NOT NULL, "part" smallint NOT NULL, "changes" integer NOT NULL, PRIMARY KEY ("list_id") );
-- m0009_commits
-- outbox_commit Once
CREATE TABLE IF NOT EXISTS "outbox_commit" ( "id" integer NOT NULL, "events" mediumblob NOT NULL, "pub_seq" integer NULL, "create_time" integer NOT NULL, PRIMARY KEY ("id") );
CREATE UNIQUE INDEX IF NOT EXISTS "outbox_commit_published" ON "outbox_commit" ("pub_seq");
-- outbox_revision Once
CREATE TABLE IF NOT EXISTS "outbox_revision" ( "commit_id" integer NOT NULL, "subject_id" integer NOT NULL, "revision" integer NOT NULL, PRIMARY KEY ("commit_id", "subject_id") );
CREATE UNIQUE INDEX IF NOT EXISTS "outbox_revision_subject" ON "outbox_revision" ("subject_id", "revision");
-- drops comment_outbox
