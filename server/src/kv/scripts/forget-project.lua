-- Removes the documents and counters of a deleted project, and publishes that to all replicas. Twin of `forgetProject`
-- in process/store.ts. The counters of all other days have expired.
local now, days, channel, change = read_clock(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
redis.call('DEL', unpack(KEYS))
local today = math.floor(now / DAY_MS)
for day = today - 2, today + 1 do redis.call('DEL', days .. plain(day)) end
redis.call('PUBLISH', channel, change)
return 1
