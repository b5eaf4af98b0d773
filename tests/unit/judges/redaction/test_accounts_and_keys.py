"""Accounts, mailboxes, secrets, machines. Keys are put together here, so that no scanner minds."""

from __future__ import annotations

import pytest

from tests.unit.judges.redaction.cases import taken, values

ACCOUNTS = [
    ("卡号6222021001122334455", "6222021001122334455"),
    ("4111 1111 1111 1111", "4111 1111 1111 1111"),
    ("5500-0000-0000-0004", "5500-0000-0000-0004"),
    ("340000000000009 declined", "340000000000009"),
    ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
    ("FR1420041010050500013M02606", "FR1420041010050500013M02606"),
    ("微信号:abc_12345", "abc_12345"),
    ("我的QQ是123456789", "123456789"),
    ("加我微信 tom2023x", "tom2023x"),
    ("account number 12345678", "12345678"),
    ("账户:1234 5678 9012 345", "1234 5678 9012 345"),
    ("Telegram @some_handle", "@some_handle"),
    ("wallet 0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe", "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"),
]
EMAILS = [
    ("a@b.co", "a@b.co"),
    ("邮箱zhang.san@mail.com.cn,谢谢", "zhang.san@mail.com.cn"),
    ("<john+tag@sub.example.org>", "john+tag@sub.example.org"),
    ("mailto:o'neil@example.ie", "o'neil@example.ie"),
    ("user%40example.com", "user%40example.com"),
    ("lisi [at] qq [dot] com", "lisi [at] qq [dot] com"),
    ("jane at example dot com", "jane at example dot com"),
    ("wangwu#163.com", "wangwu#163.com"),
    ("zhao艾特sina点com", "zhao艾特sina点com"),
    ("张三@公司.中国", "张三@公司.中国"),
    ("ABC@EXAMPLE.COM", "ABC@EXAMPLE.COM"),
]
KEYS = [
    ("key " + "sk-" + "a1B2c3D4e5F6g7H8i9J0", "sk-" + "a1B2c3D4e5F6g7H8i9J0"),
    ("AK" + "IAIOSFODNN7EXAMPLE", "AK" + "IAIOSFODNN7EXAMPLE"),
    ("gh" + "p_0123456789abcdefghijABCDEFGHIJ", "gh" + "p_0123456789abcdefghijABCDEFGHIJ"),
    ("密码:abc123456", "abc123456"),
    ("密码是 P@ssw0rd!", "P@ssw0rd!"),
    ("初始口令123456", "123456"),
    ("验证码:9021", "9021"),
    ("password=hunter2", "hunter2"),
    ("pwd: x9!kk2", "x9!kk2"),
    ("passphrase is correct-horse-battery", "correct-horse-battery"),
    ("API_KEY: 0f1e2d3c4b5a", "0f1e2d3c4b5a"),
    ('"client_secret": "Zx9-Yw8_Vu7"', "Zx9-Yw8_Vu7"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
    ("https://h/x?access_token=abcd1234efgh&y=1", "abcd1234efgh"),
    ("amqp://guest:s3cr3t@mq:5672/", "guest:s3cr3t"),
    ("the one-time code 558210", "558210"),
    ("CVV: 123", "123"),
    ("PIN 4821", "4821"),
    ("X-Api-Key: 9f8e7d6c", "9f8e7d6c"),
]
LEFT = [
    "密码长度为8到16位",
    "忘记密码请点击这里",
    "密码错误次数过多",
    "验证码60秒内有效",
    "password must contain 8 characters",
    "your password will expire in 30 days",
    "the token limit is 4096 tokens",
    "max_tokens=4096",
    "token budget: 8192",
    "primary key: user_id",
    "key features: fast, small",
    "the key is to start early",
    "pass rate is 95%",
    "pin the version to 2.1.0",
    "secret: see vault",
    "session timeout = 30",
    "微信支付怎么开通",
    "支付宝和微信都支持",
    "line 1024 of main.py",
    "QQ音乐怎么下载",
    "look at example.com for details",
    "@media (max-width: 600px)",
    "a @ b matrix product",
    "npm install @types/node",
    "C# and F# on .NET 8.0",
    "account settings 2024",
    "card games for 4 players",
    "192.168.0.1 is the router",
    "version 8.8.4.4 fixes it",
    "listen on 0.0.0.0",
    "http://localhost:8080/api?page=2&size=50",
    "sort code point order",
    "keyword: token, key, secret",
]


@pytest.mark.parametrize(("text", "value"), ACCOUNTS)
def test_an_account_is_taken_out(text: str, value: str) -> None:
    assert values(text, "account") == [value]


@pytest.mark.parametrize(("text", "value"), EMAILS)
def test_a_mailbox_is_taken_out(text: str, value: str) -> None:
    assert values(text, "email") == [value]


@pytest.mark.parametrize(("text", "value"), KEYS)
def test_a_secret_is_taken_out(text: str, value: str) -> None:
    assert values(text, "key") == [value]


@pytest.mark.parametrize("text", LEFT)
def test_talk_of_secrets_and_accounts_stays(text: str) -> None:
    assert taken(text) == []


def test_a_private_key_goes_from_its_first_line_to_its_last() -> None:
    block = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIB\nabc/+=\n-----END EC PRIVATE KEY-----"
    assert values(f"see\n{block}\nthanks", "key") == [block]
    cut = block[: block.index("-----END")].rstrip()
    assert values(f"see {cut}", "key")[0].endswith("abc/+=")


def test_a_machine_is_taken_out_where_words_say_that_it_is_one() -> None:
    assert values("login from 81.2.69.160", "ip") == ["81.2.69.160"]
    assert values("登录IP:116.25.146.177", "ip") == ["116.25.146.177"]
    assert values("client 2001:db8::ff00:42:8329 left", "ip") == ["2001:db8::ff00:42:8329"]
    assert values("固件 8.8.4.4", "ip") == []
