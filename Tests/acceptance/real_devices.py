"""The device flow of the real providers, and a user who types codes there."""

import os
import subprocess

from daemon import ROOT


def approve(progress, *arguments):
    """Type the code where the user is sent to, as alice."""
    subprocess.run(
        [os.path.join(ROOT, "Tests", "idp", "approve-device"), *arguments, progress["verificationUri"],
         progress["userCode"], "alice", "alice-pass-1"], check=True, capture_output=True, timeout=60)


def configured(provider):
    """The provider's client for devices; django-oauth-toolkit has one of its own, and names its endpoint nowhere."""
    if provider.name == "glewlwyd":
        return provider.configuration()
    return (provider.configuration(ClientID="scene-device")
            + f"DeviceAuthorizationEndpoint={provider.issuer}/device-authorization/\n")
