"""What the service answers instead of what was asked for."""

CODE_PREFIX = "AWS.MechanicalTurk."


class Refusal(Exception):
    """An answer that is an error: its type and status on the wire, its code, its message."""

    kind = "RequestError"
    status = 400

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = f"{CODE_PREFIX}{code}" if code else ""


class Refused(Refusal):
    """The requester's fault."""


class Invalid(Refusal):
    """A value that the service's model does not allow."""

    kind = "ValidationException"


class Unreadable(Refusal):
    """A body that is no JSON."""

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
    """The service's own fault."""

    kind = "ServiceFault"
    status = 500


class NotSimulated(Failed):
    status = 501


def missing(what: str, identifier: str) -> Refused:
    """What is said of something that is not there, or is another requester's."""
    return Refused(f"{what} {identifier} does not exist.", f"{what}DoesNotExist")


def invalid_parameter(message: str) -> Refused:
    """A value that the model allows and the service does not."""
    return Refused(message, "ParameterValidationError")
