"""Errors that the service answers with."""

CODE_PREFIX = "AWS.MechanicalTurk."


class Refusal(Exception):
    """An error answer: its type and status on the wire, its code, its message."""

    kind = "RequestError"
    status = 400

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = f"{CODE_PREFIX}{code}" if code else ""


class PageRefused(Exception):
    """A refusal shown to a person, or answered to a program: its message and HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message, self.status = message, status


class Refused(Refusal):
    """An error of the requester."""


class Invalid(Refusal):
    """A value that the service's model does not allow."""

    kind = "ValidationException"


class Unreadable(Refusal):
    """A body that is not JSON."""

    kind = "SerializationException"


class UnknownOperation(Refusal):
    kind = "UnknownOperationException"


class Unsigned(Refusal):
    kind = "MissingAuthenticationTokenException"


class WronglySigned(Refusal):
    kind = "InvalidSignatureException"


class Throttled(Refusal):
    kind = "ThrottlingException"


class Failed(Refusal):
    """An error of the service."""

    kind = "ServiceFault"
    status = 500


class NotSimulated(Failed):
    status = 501


def missing(what: str, identifier: str) -> Refused:
    """Return the error for an object that does not exist or belongs to another requester."""
    return Refused(f"{what} {identifier} does not exist.", f"{what}DoesNotExist")


def invalid_parameter(message: str) -> Refused:
    """Return the error for a value that the model allows but the service does not."""
    return Refused(message, "ParameterValidationError")
