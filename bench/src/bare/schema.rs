//! The bare tables: the columns and keys of the service's own tables (see migrations/src/steps),
//! once each.

/// The statements that create the tables; they are idempotent.
pub(super) const TABLES: [&str; 4] = [SUBJECT, INDEX, CONTENT, LIKE];

const SUBJECT: &str = "
CREATE TABLE IF NOT EXISTS bare_subject (
  id BIGINT NOT NULL, part SMALLINT NOT NULL, object_type VARBINARY(32) NOT NULL, object_id VARBINARY(64) NOT NULL,
  owner_id VARBINARY(64), state TINYINT NOT NULL, next_floor INT NOT NULL, root_count INT NOT NULL,
  comment_count INT NOT NULL, revision BIGINT NOT NULL, version BIGINT NOT NULL, pins VARBINARY(24) NOT NULL,
  metadata TEXT NOT NULL, create_time BIGINT NOT NULL, update_time BIGINT NOT NULL, delete_time BIGINT,
  PRIMARY KEY (id), UNIQUE KEY name (object_type, object_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

const INDEX: &str = "
CREATE TABLE IF NOT EXISTS bare_index (
  id BIGINT NOT NULL, part SMALLINT NOT NULL, subject_id BIGINT NOT NULL, root_id BIGINT NOT NULL,
  parent_id BIGINT NOT NULL, depth TINYINT NOT NULL, path VARBINARY(256) NOT NULL, floor INT NOT NULL,
  next_floor INT NOT NULL, member_id VARBINARY(64) NOT NULL, state TINYINT NOT NULL, prior_state TINYINT NOT NULL,
  deleted_by TINYINT NOT NULL, like_count INT NOT NULL, dislike_count INT NOT NULL, reply_count INT NOT NULL,
  live_below INT NOT NULL, listed TINYINT NOT NULL, revision BIGINT NOT NULL, version BIGINT NOT NULL,
  born_revision BIGINT NOT NULL, request_key BINARY(16) NOT NULL, request_print BIGINT NOT NULL,
  create_time BIGINT NOT NULL, update_time BIGINT NOT NULL, edit_time BIGINT, delete_time BIGINT,
  PRIMARY KEY (id), UNIQUE KEY floor (subject_id, root_id, floor), KEY listed (subject_id, root_id, listed, floor),
  UNIQUE KEY path (path), UNIQUE KEY request (subject_id, request_key)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

const CONTENT: &str = "
CREATE TABLE IF NOT EXISTS bare_content (
  comment_id BIGINT NOT NULL, part SMALLINT NOT NULL, text MEDIUMTEXT NOT NULL, mentions TEXT NOT NULL,
  metadata TEXT NOT NULL, PRIMARY KEY (comment_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

const LIKE: &str = "
CREATE TABLE IF NOT EXISTS bare_like (
  subject_id BIGINT NOT NULL, member_id VARBINARY(64) NOT NULL, comment_id BIGINT NOT NULL, part SMALLINT NOT NULL,
  value TINYINT NOT NULL, operation BINARY(16) NOT NULL, changed TINYINT NOT NULL, time BIGINT NOT NULL,
  PRIMARY KEY (subject_id, member_id, comment_id), KEY likers (comment_id, value, time, member_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";
