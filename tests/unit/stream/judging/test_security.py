"""The Kafka settings as aiokafka takes them."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest

from stream.errors import SettingRefused
from stream.judging.security import addresses, security_of
from stream.settings import KafkaSettings


def test_nothing_is_secured_unless_it_is_said() -> None:
    security = security_of(KafkaSettings())
    assert (security.protocol, security.context, security.mechanism) == ("PLAINTEXT", None, None)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_is_passed_on_with_its_mechanism(mechanism: str) -> None:
    settings = KafkaSettings.model_validate(
        {
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": mechanism,
            "sasl_username": "u",
            "sasl_password": "p",
        }
    )
    security = security_of(settings)
    assert (security.mechanism, security.username, security.password) == (mechanism, "u", "p")
    assert security.context is not None
    assert security.context.verify_mode == ssl.CERT_REQUIRED


def test_what_is_set_among_the_options_of_librdkafka_counts_as_well() -> None:
    options: dict[str, Any] = {
        "security.protocol": "ssl",
        "ssl.endpoint.identification.algorithm": "none",
        "bootstrap.servers": "SSL://a:1, b:2",
    }
    settings = KafkaSettings(options=options)
    context = security_of(settings).context
    assert context is not None
    assert not context.check_hostname
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert addresses(settings) == ["a:1", "b:2"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"security_protocol": "TLS"}, "RAGPULSE_KAFKA__SECURITY_PROTOCOL"),
        ({"security_protocol": "SASL_SSL", "sasl_mechanism": "GSSAPI"}, "RAGPULSE_KAFKA__SASL_MECHANISM"),
        ({"security_protocol": "SSL", "ssl_ca_location": "/nowhere.pem"}, "RAGPULSE_KAFKA__SSL_CA_LOCATION"),
    ],
)
def test_what_cannot_be_done_is_refused_by_the_name_of_its_setting(
    settings: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingRefused, match=named):
        security_of(KafkaSettings.model_validate(settings))


@pytest.mark.parametrize("option", ["ssl.ca.pem", "ssl.key.pem", "ssl.keystore.location", "ssl.crl.location"])
def test_an_option_that_only_librdkafka_can_read_is_refused_and_not_passed_over(option: str) -> None:
    settings = KafkaSettings(security_protocol="SSL", options={option: "x"})
    with pytest.raises(SettingRefused, match=option):
        security_of(settings)


@pytest.mark.parametrize("value", [False, "false", "0", "F"])
def test_checking_is_switched_off_as_librdkafka_spells_it(value: object) -> None:
    settings = KafkaSettings(security_protocol="SSL", options={"enable.ssl.certificate.verification": value})
    context = security_of(settings).context
    assert context is not None
    assert context.verify_mode == ssl.CERT_NONE


def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    settings = KafkaSettings(security_protocol="SSL", ssl_ca_location=str(tmp_path / "ca.pem"))
    with pytest.raises(SettingRefused, match="certificates cannot be read"):
        security_of(settings)
