-- m0010_content_extra
-- comment_content_@ Index
ALTER TABLE `comment_content_@` ADD COLUMN `extra` varbinary(2048) NULL, ALGORITHM=INSTANT;
-- comment_edit_@ Index
ALTER TABLE `comment_edit_@` ADD COLUMN `extra` varbinary(2048) NULL, ALGORITHM=INSTANT;
