from nocturne import Memory, judge

with Memory("agent.db", policy="archive") as memory:
    memory.ingest("conversation/")
    memory.append("human", {"text": "The user takes the first train on Mondays.", "category": "fact"})

    before = memory.snapshot()
    night = memory.sleep()
    for part in night.passes:
        print(part.name, part.accepted, "accepted", part.refused, "refused", part.active, "active")

    for fact in memory.get_block("human"):
        print(f"m{fact.id}", fact.text)
    memory.restore(before)  # a new version; nothing was erased, so this can be undone too

verdict = judge(
    {
        "pass": "merge",
        "sources": [{"text": "Postgres runs on port 5433."}, {"text": "Postgres is version 16.2."}],
        "text": "Postgres is version 16.2.",
    }
)
print(verdict["verdict"], verdict["code"], verdict["message"])
