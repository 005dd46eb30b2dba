"""What another site's page may ask: nothing but to be followed to ours."""

import pytest

VISIT = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
}


def test_a_followed_link_opens_the_page(ask):
    assert ask("/", VISIT).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "https://127.0.0.1"},
        {},
    ],
)
def test_our_page_and_programs_may_ask(ask, headers):
    assert ask("/api/models", headers).status == 200


@pytest.mark.parametrize("path", ["/", "/api/models", "/worker/protocol.js", "/nothing"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
        {**VISIT, "Sec-Fetch-Dest": "iframe"},
        {**VISIT, "Sec-Fetch-Dest": "object"},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"},
        {**VISIT, "Origin": "null"},
    ],
)
def test_other_sites_may_not(ask, path, headers):
    reply = ask(path, headers)
    assert (reply.status, reply.error["code"]) == (403, "cross_site")


def test_a_form_of_another_site_may_not_post(ask):
    assert ask("/api/models", VISIT, method="POST").status == 403


def test_the_origin_is_compared_with_its_port(ask):
    assert ask("/", {"Origin": "http://127.0.0.1:81"}, host="127.0.0.1:81").status == 200
    assert ask("/", {"Origin": "http://127.0.0.1:82"}, host="127.0.0.1:81").status == 403
