-- Drops events that cannot be used. Twin of `discardEvents` in process/events.ts.
local drops, stream = unpack(KEYS)
local group, name = ARGV[1], ARGV[2]

-- Counts only events that were still pending, so that a second discard of an event is not a second drop.
local held = redis.call('XACK', stream, group, unpack(ARGV, 3))
if held > 0 then redis.call('HINCRBY', drops, name, held) end
return held
