-- Deleting a conversation, a person or a file takes along whatever points to it: found by index, or each deletion would
-- read all that everybody has sent.

create index inbox_of_conversation on inbox (conversation_id);
create index inbox_of_upload on inbox (upload_id) where upload_id is not null;
create index outbox_of_conversation on outbox (conversation_id);
create index staff_items_of_conversation on staff_items (conversation_id);
create index control_confirms_of_person on control_confirms (user_id);
