"""For MkDocs: the site fetches nothing from other hosts."""


def on_env(env, config, files):
    # The plugin `offline` names a script of another host here.
    config.extra["polyfills"] = ["docs/site/worker.js"]
    return env
