-- m0010_content_extra
-- comment_content_@ Index
ALTER TABLE "comment_content_@" ADD COLUMN "extra" varbinary_blob(2048) NULL;
-- comment_edit_@ Index
ALTER TABLE "comment_edit_@" ADD COLUMN "extra" varbinary_blob(2048) NULL;
