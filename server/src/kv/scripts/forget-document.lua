-- Removes a document of something that was deleted, and tells all copies.
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
