-- Removes the document of something that was deleted, and publishes that to all replicas.
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
