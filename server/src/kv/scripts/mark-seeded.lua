-- Marks the store as filled, with the time, and publishes that if it was not filled before. Twin of `markSeeded` in
-- process/projection.ts.
local now, channel, change = read_clock(ARGV[1]), ARGV[2], ARGV[3]
if redis.call('SET', KEYS[1], plain(now), 'NX') then redis.call('PUBLISH', channel, change) end
