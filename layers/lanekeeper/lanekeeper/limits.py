"""Every default number of the product, in one place, with the rule it comes from.

Each can be set by an environment variable: ``LIMIT_`` and its name in capitals, such as ``LIMIT_MODEL_STEPS=8``.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from lanekeeper.limit_variables import changed
from lanekeeper.limit_variables import limit as _limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The numbers of the ledger. ``rule`` in a field's metadata is the row it serves."""

    # The lane
    lease_s: float = _limit(15, "T1", "seconds a worker holds a lane without a sign of life")
    heartbeat_s: float = _limit(5, "T1", "seconds between signs of life")
    watch_s: float = _limit(0.5, "T1", "seconds between looks for a stop or a lost lane while nothing streams")
    turn_deaths: int = _limit(3, "T1", "workers that may die in one turn before it ends with the honest line")
    drain_reserve_s: float = _limit(160, "T1", "seconds a worker must have left to begin a turn: more than one takes")
    lost_wake_s: float = _limit(5, "T1", "seconds after which a waiting message is woken again by the tick")
    locked_lane_s: float = _limit(0.05, "T1", "seconds between looks for a lane whose row is being written")
    locked_lane_looks: int = _limit(20, "T1", "such looks, before the tick is left to find it")
    postponed_s: float = _limit(1, "T1", "seconds a lane is put off when whoever had it is about to drop its lock")
    wakes_per_tick: int = _limit(20, "T1", "workers one tick may wake")

    # The turn
    messages_per_turn: int = _limit(50, "T2", "waiting messages that may join a turn at one look")
    restarts: int = _limit(2, "T2", "times new messages may restart a step in one turn")
    message_chars: int = _limit(8_000, "E5", "characters of one message of a reply")
    message_end_chars: int = _limit(500, "E5", "characters more that a message may take to come to its end")
    messages_per_reply: int = _limit(3, "E5", "messages of one reply")
    script_chars: int = _limit(400, "D6", "characters of a person's words whose script is looked at")
    script_person_letters: int = _limit(8, "D6", "letters of theirs that make their script sure")
    script_reply_letters: int = _limit(24, "D6", "letters in another script that make a reply's language wrong")
    failed_attempts: int = _limit(2, "A3", "failed attempts at one goal before a person is offered")
    first_reply_s: float = _limit(7, "T3", "seconds to the first text, for 95 % of turns")
    holding_line_s: float = _limit(2, "T3", "seconds of slow work before a holding line")
    provider_timeout_s: float = _limit(20, "T5", "seconds the provider may be silent")
    provider_total_s: float = _limit(120, "T5", "seconds one call to the provider may take in all")
    provider_connect_s: float = _limit(5, "T5", "seconds to reach the provider")
    provider_idle_s: float = _limit(20, "T5", "seconds an unused connection to the provider is kept")
    provider_event_bytes: int = _limit(4_000_000, "T5", "bytes of one event of a provider's stream")
    provider_calls_per_step: int = _limit(2, "T5", "calls to the provider for one step, its retry included")
    model_steps: int = _limit(6, "T5", "model calls in one turn")
    hard_text_chars: int = _limit(6_000, "A2", "characters in one turn beyond which it is the large model's")
    recursion_limit: int = _limit(16, "T5", "graph steps in one turn, well below LangGraph's own 25")
    turn_s: float = _limit(150, "T5", "seconds a turn may take")
    turn_reserve_s: float = _limit(5, "T5", "seconds of a worker's time that are kept for ending a turn")

    # Timers, and what waits
    context_budget_tokens: int = _limit(60_000, "C4", "tokens one request may have before its message has to wait")
    compaction_share: float = _limit(0.8, "C2", "share of those tokens at which a conversation is shortened")
    fill_noted_share: float = _limit(0.25, "C4", "share of them below which any message has room")
    compaction_attempts: int = _limit(6, "C4", "failed summaries after which a message waits no longer")
    idle_save_s: float = _limit(1800, "W3", "seconds a conversation is quiet before its facts are saved")
    idle_compaction_s: float = _limit(3300, "C3", "seconds it is quiet before it is shortened: less than a cache lives")
    timer_lease_s: float = _limit(300, "P4", "seconds a tick may be at one timer before another tick takes it")
    timer_retry_s: float = _limit(60, "P4", "seconds until a timer that failed once is tried again; then twice as many")
    timer_retry_longest_s: float = _limit(1800, "P4", "seconds until it is tried again, however often it has failed")
    timer_attempts: int = _limit(50, "P4", "failures in a row after which a conversation's timer is left alone: a day")
    timers_at_once: int = _limit(4, "P4", "timers one tick works on side by side")
    timers_reserve_s: float = _limit(150, "P4", "seconds a tick must have left to begin a timer: more than most take")

    # Compaction
    compaction_kept_tokens: int = _limit(2_000, "C2", "tokens of the newest turns that no summary covers")
    compaction_kept_turns: int = _limit(4, "C2", "turns of those at most; the newest whole one always stays")
    compaction_least_tokens: int = _limit(200, "C2", "tokens of a conversation that are worth a summary")
    summary_tokens: int = _limit(1_200, "C2", "tokens of a summary; one by a quarter longer is refused")
    summary_window_tokens: int = _limit(80_000, "C2", "tokens that the writer of a summary reads at once")

    # Memory
    recall_notes: int = _limit(3, "R1", "notes that one message brings back")
    recall_bytes: int = _limit(600, "R1", "bytes of those notes together")
    recall_chars: int = _limit(2_000, "R1", "characters of a message, from its beginning, that are searched for")
    recall_matches: int = _limit(1_000, "R1", "notes of a person that a search reads, the newest first")
    recall_wait_s: float = _limit(0.08, "R2", "seconds an answer waits for memory once it is known to be wanted")
    late_recall_s: float = _limit(600, "R2", "seconds for which what memory found too late goes with any next message")
    note_words: int = _limit(500, "W1", "words of one note; what comes after is cut")
    note_bytes: int = _limit(4_000, "W1", "bytes of one note; what comes after is cut")
    note_subject_chars: int = _limit(80, "W1", "characters of a note's subject")
    notes_segment_chars: int = _limit(24_000, "W3", "characters of a conversation that are read for notes at once")
    notes_segment_messages: int = _limit(200, "W3", "messages of a conversation that are read for notes at once")
    notes_context_chars: int = _limit(200, "W3", "characters, from its end, of an answer between them")
    notes_subjects: int = _limit(60, "W2", "subjects of a person's notes, newest first, that their writer is told")
    notes_per_answer: int = _limit(50, "W1", "notes that are taken from one answer of the writer")
    notes_answer_tokens: int = _limit(4_000, "W3", "tokens of one answer of the writer")
    notes_attempts: int = _limit(3, "W3", "unusable answers about the same messages before they are passed over")
    forget_notes: int = _limit(5_000, "W4", "newest notes looked through for another that says what is to be forgotten")
    forget_conversations: int = _limit(50, "W4", "conversations read at a time for what is to be forgotten")
    note_excerpt_chars: int = _limit(300, "W1", "characters of a note's message that a person is shown beside it")
    export_items: int = _limit(500, "S3", "items of one page of what is kept of a person")
    profile_chars: int = _limit(200, "W1", "characters of one line of a person's profile")
    note_kept_days: int = _limit(0, "W5", "days a note is kept, as the privacy notice says; 0 until it is forgotten")

    # The nightly pass
    nightly_batch_people: int = _limit(500, "W3", "people whose messages go to the note writer in one batch")
    nightly_batch_bytes: int = _limit(20_000_000, "W3", "bytes of one batch's file")
    nightly_batch_least: int = _limit(1, "W3", "people below whom each is asked about directly, at the full price")
    nightly_tries: int = _limit(2, "W3", "tries for one person in one run before they count as failed or skipped")
    nightly_attempts: int = _limit(7, "W3", "runs that may fail for one person's night before it is left alone")
    nightly_retry_s: float = _limit(3600, "W3", "seconds before the next run tries again; twice as many each time")
    nightly_lease_s: float = _limit(400, "W3", "seconds after which people whom a run took and left are taken again")
    nightly_run_s: float = _limit(45, "W3", "seconds a run begins with people for; the next tick goes on")
    nightly_reserve_s: float = _limit(90, "W3", "seconds a run must have left to begin with more people")
    nightly_kept_h: float = _limit(720, "W3", "hours it is known who was covered in which night")
    sweep_h: float = _limit(20, "W5", "hours between two rounds of removing what was kept long enough")
    batch_call_s: float = _limit(30, "W3", "seconds one request about a batch, or one transfer of its file, may take")
    batch_answer_bytes: int = _limit(64_000_000, "W3", "bytes of one file of answers")
    batch_poll_s: float = _limit(60, "W3", "seconds between looks at a batch")
    batch_looks: int = _limit(3, "W3", "looks at a batch in the run that sent it, a second apart")
    batch_most_h: float = _limit(26, "W3", "hours after which a batch that is not over is given up")

    # Decisions
    decisions_s: float = _limit(1.5, "D1", "seconds the fast decisions of a turn may take, all together")
    decisions_missing_s: float = _limit(300, "D1", "seconds a gateway without decisions is not asked for them again")
    decisions_chars: int = _limit(8000, "D1", "characters of a message that are judged: its beginning and its end")
    messages_that_tell: int = _limit(5, "D6", "a person's last messages that tell the language of a one-word message")
    confirm_s: float = _limit(900, "D5", "seconds in which a control that was asked about can be confirmed")

    # The stream
    chunk_batch_ms: float = _limit(40, "T4", "milliseconds of text gathered into one chunk")
    keep_alive_s: float = _limit(10, "P2", "seconds of silence before a keep-alive comment; never more than 15")
    flush_comment_ms: float = _limit(200, "P2", "milliseconds after the last event before a flushing comment")
    poll_ms: float = _limit(50, "P2", "milliseconds between looks while a stream polls")
    listen_streams: int = _limit(20, "P2", "open streams up to which NOTIFY speeds a stream up")
    chunks_told: int = _limit(500, "P2", "chunks that a slow stream was told of and has not come to send")
    streams_per_person: int = _limit(3, "P2", "streams one person may hold open; the newest replaces the oldest")
    stream_glance_s: float = _limit(1, "P2", "seconds between looks at a turn's state, and at what a lost NOTIFY hid")
    stream_seen_s: float = _limit(5, "P2", "seconds between signs of life of an open stream; after three it is gone")
    stream_answer_s: float = _limit(5, "P2", "seconds the database may take to answer a stream")
    stream_away_s: float = _limit(12, "P2", "seconds without the database after which a stream is cut, to be resumed")
    stream_reserve_s: float = _limit(5, "P2", "seconds before the function's limit at which a stream is cut")
    chunks_kept_h: float = _limit(24, "B11", "hours after which a finished turn is replayed from the transcript")

    keys_kept_h: float = _limit(168, "T1", "hours after which a deleted conversation's keys are forgotten")

    # What comes in
    text_chars: int = _limit(32_000, "T1", "characters of one message")
    body_bytes: int = _limit(256 * 1024, "T1", "bytes of one request body")
    id_chars: int = _limit(200, "L7", "characters of an id that a client chose")
    page_items: int = _limit(50, "B11", "items of one page")
    page_bytes: int = _limit(1_000_000, "B11", "bytes of one page of history")
    title_chars: int = _limit(80, "L5", "characters of a conversation's title")
    lane_wait_s: float = _limit(4, "T1", "seconds an acceptance waits for a worker that is writing")
    wake_timeout_s: float = _limit(0.8, "T1", "seconds an answer waits for the worker's wake")
    ready_timeout_s: float = _limit(2, "L8", "seconds one look at the database or the model may take")
    ready_cache_s: float = _limit(5, "L8", "seconds the model's last readiness is believed")

    # Uploads
    upload_bytes: int = _limit(4 * 1024 * 1024, "D4", "bytes of one upload; a gateway's event carries no more")
    uploads_per_message: int = _limit(10, "D4", "uploads that go along with one message")
    uploads_waiting: int = _limit(20, "D4", "uploads of one person that may wait to be read")
    uploads_kept_bytes: int = _limit(200_000_000, "D3", "bytes of one person's uploads that are kept at a time")
    upload_kept_h: float = _limit(720, "D3", "hours an upload is kept, as the privacy notice says")
    upload_name_chars: int = _limit(120, "D4", "characters of an upload's name")
    upload_check_s: float = _limit(8, "D3", "seconds one try at the questions about an upload may take")
    upload_checks: int = _limit(2, "D3", "tries at them before an upload is turned away unread")
    image_pixels: int = _limit(40_000_000, "D3", "pixels of a picture, by its header")
    image_side: int = _limit(16_000, "D3", "pixels of a picture's longer side")
    file_pages: int = _limit(300, "D4", "pages of a file")
    file_text_chars: int = _limit(60_000, "D4", "characters of a file's text that a model sees")
    file_inflated_bytes: int = _limit(8_000_000, "D4", "bytes that a compressed part of a file may unpack to")
    parser_memory_bytes: int = _limit(384 * 1024 * 1024, "D4", "bytes of memory for reading one file")
    parser_cpu_s: int = _limit(10, "D4", "seconds of computing for reading one file")
    parser_s: float = _limit(20, "D4", "seconds in all for reading one file")
    thread_image_bytes: int = _limit(12_000_000, "D3", "bytes of pictures that one request to a model carries")
    thread_file_chars: int = _limit(240_000, "D4", "characters of files that one request to a model carries")

    # Model, identity, search
    setting_cache_s: float = _limit(5, "B10", "seconds a setting read from the database is believed")
    jwks_refetch_s: float = _limit(60, "E1", "seconds between fetches of the issuer's keys")
    jwks_cache_s: float = _limit(3600, "E1", "seconds the issuer's keys are believed")
    jwks_stale_s: float = _limit(86_400, "E1", "seconds they are believed while the issuer is away")
    jwks_timeout_s: float = _limit(3, "E1", "seconds one fetch of the issuer's keys may take")
    token_chars: int = _limit(16_384, "E1", "characters of a bearer token")
    tokens_kept: int = _limit(256, "E1", "tokens whose signature a process remembers to have found good")
    token_skew_s: float = _limit(60, "E1", "seconds the issuer's clock may be ahead of ours")
    request_sample_rate: float = _limit(0, "A4", "share of turns whose exact request is kept; dev sets 1")
    requests_kept_h: float = _limit(72, "A4", "hours a kept request lives")
    traces_kept_h: float = _limit(720, "K3", "hours a turn's trace and verdicts live")
    trace_send_s: float = _limit(3, "K3", "seconds one delivery to a collector of traces may take, after the turns")
    traces_held: int = _limit(200, "K3", "turns whose traces wait for a collector that is away")
    daily_spend_micros: int = _limit(50_000_000, "K2", "millionths a day may cost before the alarm rings; 0 for none")
    person_spend_micros: int = _limit(5_000_000, "K2", "millionths a person's day may cost unremarked; 0 for any")
    result_bytes: int = _limit(2048, "O6", "bytes of one tool result")
    output_bytes: int = _limit(16_000, "L6", "bytes of one tool result as the page shows it")
    result_items: int = _limit(5, "O6", "items of one page of a tool result")
    tool_timeout_s: float = _limit(15, "O4", "seconds one tool call may take")
    tool_backoff_s: float = _limit(0.3, "O5", "seconds before a tool's own second try")
    tool_failures: int = _limit(2, "O5", "failed calls of one tool in one turn")
    tool_concurrency: int = _limit(4, "N9", "tool calls that may run side by side")
    batch_concurrency: int = _limit(4, "N9", "model calls of one background job that may run side by side")
    reasoning_chars: int = _limit(16_000, "N8", "characters of what a model thinks that one of its answers shows")
    state_bytes: int = _limit(4096, "N4", "bytes of what the tools of one conversation keep for later calls")
    progress_ms: float = _limit(250, "N7", "milliseconds between two lines of progress of one tool call")
    progress_bytes: int = _limit(1024, "N7", "bytes of one line of progress")
    search_timeout_s: float = _limit(6, "O4", "seconds one request to the search vendor may take")
    search_micros: int = _limit(8000, "K2", "millionths of the currency that one request to the search vendor costs")
    search_title_chars: int = _limit(160, "O6", "characters of a search result's title")
    search_snippet_chars: int = _limit(600, "B7", "characters of a search result's snippet as the page shows it")
    prompt_bytes: int = _limit(12 * 1024, "Q3", "bytes of a system prompt")
    tools_bytes: int = _limit(10 * 1024, "Q3", "bytes of an agent's tool definitions")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Limits":
        """The defaults, with every ``LIMIT_...`` variable put in its place.

        Raises:
            ValueError: a variable names no limit, or is no number of zero or more, or no whole one where counts are.
        """
        return cls(**changed(cls, environment))
