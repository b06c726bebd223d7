-- Appends an event within its tenant's quota, else counts a drop. Twin of `emitEvent` in process/events.ts.
-- Acknowledged events stay in the stream for other readers, so events that were trimmed unread are found by counting:
-- the stream holds the newest events without a gap, so unread ones beyond its length were trimmed.
local quota, drops, counts, stream = unpack(KEYS)
local now, tenant_id, quota_per_minute, stream_length = read_clock(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]

local count, ends_at = read_window(quota, now)
if count >= quota_per_minute then
  redis.call('HINCRBY', drops, tenant_id, 1)
  return 'dropped'
end
count_in_window(quota, count, ends_at, QUOTA_WINDOW_MS, now)
redis.call('XADD', stream, 'MAXLEN', '~', stream_length, '*', unpack(ARGV, 5))

local unread = redis.call('HINCRBY', counts, 'unread', 1)
local lost = unread - redis.call('XLEN', stream)
if lost > 0 then
  redis.call('HINCRBY', counts, 'unread', -lost)
  redis.call('HINCRBY', drops, '', lost)
end
return 'stored'
