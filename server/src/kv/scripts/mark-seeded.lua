-- Marks the store as filled, with the time, and publishes that if it was not filled before. Does nothing and returns 0
-- if the store was emptied since the filling began. Twin of `markSeeded` in process/projection.ts.
local epoch, filling = unpack(KEYS)
local now, channel, change = read_clock(ARGV[1]), ARGV[2], ARGV[3]
if redis.call('DEL', filling) == 0 then return 0 end
if redis.call('SET', epoch, plain(now), 'NX') then redis.call('PUBLISH', channel, change) end
return 1
