"""Both rates on lists of our own: what must be replaced, and what looks alike and must stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nocturne.core.facts import ToolCall, Turn
from nocturne.core.secrets import redact, redact_turn

# Every key below is invented, and put together from halves, so that no scanner takes this file for a leak.
A = "4f9aQ2xZ7Lm1Vb8Kt3Rw"
B = "c0Y5hN6pD2sJ9eU7gT4k"

SECRETS = [
    (f"my api key is sk-test-{'4f0c' + '0' * 16} keep it", "my api key is [secret:api-key] keep it"),
    (f"use sk-ant-api03-{A}{B}-{A} for now", "use [secret:api-key] for now"),
    (f"OPENAI_API_KEY=sk-proj-{A}{B}", "OPENAI_API_KEY=[secret:api-key]"),
    (f"the key AIza{'DEMO000'} was used", "the key [secret:api-key] was used"),
    (f"AIza{'SyA' + A + B[:12]}", "[secret:api-key]"),
    (f"stripe rk_live_{A}{B}", "stripe [secret:api-key]"),
    (f"hf_{A}{B[:14]} works", "[secret:api-key] works"),
    (f"gsk_{A}{B}", "[secret:api-key]"),
    (f"mail goes through SG.{A}.{B}{A}", "mail goes through [secret:api-key]"),
    (f"aws AKIA{'ABCDEFGH2345WXYZ'} and more", "aws [secret:aws-key] and more"),
    (
        f"aws_secret_access_key = {A}{B}",
        "aws_secret_access_key = [secret:token]",
    ),
    (f"push with ghp_{A}{B[:16]}", "push with [secret:github-token]"),
    (f"github_pat_{A}_{B}{A}", "[secret:github-token]"),
    (f"glpat-{A}", "[secret:gitlab-token]"),
    (f"xoxb-{'1234567890'}-{'0987654321'}-{A}", "[secret:slack-token]"),
    (f"https://hooks.slack.com/services/T0{A[:8]}/B0{A[:8]}/{B}", "https://[secret:webhook]"),
    (
        f"Authorization: Bearer {A}{B}",
        "Authorization: Bearer [secret:bearer-token]",
    ),
    (f"curl -H 'authorization: token {A}'", "curl -H 'authorization: token [secret:bearer-token]'"),
    (f"header bearer {A}{B} was sent", "header bearer [secret:bearer-token] was sent"),
    (f"eyJ{'hbGciOiJIUzI1NiJ9'}.eyJ{'zdWIiOiIxMjM0In0'}.{A}{B}", "[secret:jwt]"),
    (
        "postgres://admin:hunter22x@db.example.com:5432/app",
        "postgres://admin:[secret:password]@db.example.com:5432/app",
    ),
    ("redis://:p4ssw0rd@cache:6379", "redis://:[secret:password]@cache:6379"),
    ("DB_PASSWORD=correcthorse9", "DB_PASSWORD=[secret:password]"),
    ('{"password": "tr0ub4dor&3"}', '{"password": "[secret:password]"}'),
    ('{\\"db_password\\": \\"tr0ub4dor3\\"}', '{\\"db_password\\": \\"[secret:password]\\"}'),
    ("password: swordfish", "password: [secret:password]"),
    ("mysql --password=s3cretpw -u root", "mysql --password=[secret:password] -u root"),
    ("My password is Tr0ub4dor3.", "My password is [secret:password]."),
    ("the password for the router is Blue4Fish!", "the password for the router is [secret:password]!"),
    ("das Passwort ist Geheim2024", "das Passwort ist [secret:password]"),
    (f"client_secret: '{A}'", "client_secret: '[secret:token]'"),
    (f"SLACK_BOT_TOKEN={A}{B}", "SLACK_BOT_TOKEN=[secret:token]"),
    (f"https://api.example.com/v1?api_key={A}", "https://api.example.com/v1?api_key=[secret:token]"),
    (f"the access token is {A}", "the access token is [secret:token]"),
    (f"SESSION_SALT={A}{B}", "SESSION_SALT=[secret:high-entropy]"),
    ("card 4111 1111 1111 1111 expires soon", "card [secret:card-number] expires soon"),
    ("5500-0000-0000-0004", "[secret:card-number]"),
    ("378282246310005", "[secret:card-number]"),
    (
        f"-----BEGIN RSA PRIVATE KEY-----\n{A}{B}\n{B}{A}\n-----END RSA PRIVATE KEY-----\nend",
        "[secret:private-key]\nend",
    ),
    (f"-----BEGIN OPENSSH PRIVATE KEY-----\\n{A}\\n{B}\\n", "[secret:private-key]"),
]

HARMLESS = [
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b fixed it",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "session 550e8400-e29b-41d4-a716-446655440000 ended",
    "md5 d41d8cd98f00b204e9800998ecf8427e of the file",
    "upgrade to 4.17.21-beta.3+build.77",
    "call 2025-11-19 15:00 about invoice 4111111111111112",
    "tracking number 1234567890123456",
    "the order id is 6011000000000000000",
    "phone +351 912 345 678 and 0049 30 1234567",
    "token count: 120000 of 200000",
    "max_tokens=4096",
    "tokens: 8884 prompt, 132 completion",
    "password: required",
    "Good passwords: make them long and odd.",
    "- `password`: Tests the login form.",
    "password=hashed_password",
    "tokens` = `input_tokens + output_tokens`",
    "headers={'Authorization': 'Bearer valid_token'}",
    "SLACK=xoxb-your-slack-token",
    "password = os.environ['DB_PASSWORD']",
    "password = getpass.getpass()",
    "const token = req.headers.authorization",
    "api_key=YOUR_API_KEY",
    "api_key: ${API_KEY}",
    "export OPENAI_API_KEY=<your key>",
    "OPENAI_API_KEY=REDACTED_KEY",
    "the password is wrong",
    "My password manager is Bitwarden.",
    "I forgot my password again.",
    "The secret is to rest the dough.",
    "Her secret: patience.",
    "The key is under the mat.",
    "primary key: user_id",
    "key = value",
    "keyboard: QMK with 40 keys",
    "task-management and risk-assessment-framework are two repos",
    "ask-me-anything-about-python-3",
    "pk-fire-and-ice-sword-of-truth",
    "git@github.com:owner/repo.git",
    "https://example.com/path?key=short",
    "https://user@example.com/",
    "npm_config_registry is set",
    "the bearer of this letter is Ana",
    "authorization: required for admins",
    "import secrets; secrets.token_hex(16)",
    "author: Maria, auth: OAuth2 with PKCE",
    "cert: /etc/ssl/certs/ca-certificates.crt",
    "src/core/secrets.py: replaced by kind",
    "The PIN code field accepts four digits.",
    "postgres 16.2 on backup-01 port 5433",
    "the hash is 0x1f4A9b and id=toolu_01GkQ",
    "[secret:api-key] was replaced before",
    "password=[secret:password]",
]


@pytest.mark.parametrize(("text", "expected"), SECRETS)
def test_secrets_are_replaced(text: str, expected: str) -> None:
    redacted, counts = redact(text)
    assert redacted == expected
    assert counts.total() >= 1
    assert redact(redacted) == (redacted, {})


@pytest.mark.parametrize("text", HARMLESS)
def test_what_looks_alike_stays(text: str) -> None:
    assert redact(text) == (text, {})


def test_both_rates() -> None:
    missed = [text for text, _ in SECRETS if not redact(text)[1]]
    wrong = [text for text in HARMLESS if redact(text)[1]]
    assert (len(missed), len(wrong)) == (0, 0)


def test_several_in_one_text_are_all_counted() -> None:
    _, counts = redact(f"AKIA{'ABCDEFGH2345WXYZ'} then ghp_{A}{B[:16]} then ghp_{B}{A[:16]}")
    assert counts == {"aws-key": 1, "github-token": 2}


def test_a_tool_payload_is_redacted_with_its_turn() -> None:
    payload = '{"command": "curl -H \\"Authorization: Bearer ' + A + B + '\\""}'
    turn = Turn(0, 0, None, 0, 0, None, None, "tool", "Bash", tool=ToolCall("Bash", "c1", payload))
    redacted, counts = redact_turn(turn)
    assert redacted.tool is not None
    assert A not in (redacted.tool.payload or "")
    assert counts == {"bearer-token": 1}


@given(st.text(alphabet="abcXYZ019 _-=:./\"'@password=token skpghAKIA\n", max_size=200))
def test_redaction_is_idempotent(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, {})
