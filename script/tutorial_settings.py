"""Settings of the tutorial's consumer: Channels on Redis pub/sub and nothing of ours."""

import os

SECRET_KEY = "the key of a consumer that signs nothing"
INSTALLED_APPS = ["channels"]
ALLOWED_HOSTS = ["127.0.0.1"]
USE_TZ = True
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [os.environ["REDIS_URL"]], "prefix": "tutorial"},
    }
}
