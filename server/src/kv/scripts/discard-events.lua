-- Gives up events that nobody can use. Twin of `discardEvents` in process/events.ts.
local drops, stream = unpack(KEYS)
local group, name = ARGV[1], ARGV[2]

-- Only what was still held counts: a second discard of the same event is no second drop.
local held = redis.call('XACK', stream, group, unpack(ARGV, 3))
if held > 0 then redis.call('HINCRBY', drops, name, held) end
return held
