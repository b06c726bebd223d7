-- Takes over events that a consumer left unacknowledged, then reads new ones. Twin of `claimEvents` in
-- process/events.ts.
local drops, counts, stream = unpack(KEYS)
local group, consumer, wanted, idle_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local taken = {}

-- The group is created at the first claim, and again after the store was emptied.
local known = redis.pcall('XPENDING', stream, group)
if known.err then redis.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM') end

local cursor = '0-0'
repeat
  local found = redis.call('XAUTOCLAIM', stream, group, consumer, idle_ms, cursor, 'COUNT', wanted - #taken)
  for _, event in ipairs(found[2]) do taken[#taken + 1] = event end
  -- Trimmed from the stream while they were pending, so they are lost.
  if #found[3] > 0 then redis.call('HINCRBY', drops, '', #found[3]) end
  cursor = found[1]
until cursor == '0-0' or #taken >= wanted

if #taken < wanted then
  local found = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', wanted - #taken, 'STREAMS', stream, '>')
  if found then
    redis.call('HINCRBY', counts, 'unread', -#found[1][2])
    for _, event in ipairs(found[1][2]) do taken[#taken + 1] = event end
  end
end
return taken
