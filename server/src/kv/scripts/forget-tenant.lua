-- Removes the documents of a deleted tenant and its reservations, and publishes that to all replicas. What it spent
-- expires with its periods.
redis.call('DEL', unpack(KEYS))
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
